import { emptyBaselines } from "./baselines.js";
import { codeWide } from "./varuint.js";
import { NO_TICK, type PacketEntries } from "./packet-entries.js";
import type { Texts } from "../plan/entity-rows.js";
import type { StatePlan } from "../plan/state-plan.js";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.js";
import { BitCoder } from "./bit-coder.js";
import { prefixTables, type PrefixTables } from "./prefix-tables.js";
import { RowPlan } from "./row-plan.js";
import { RowCoder } from "./row-coder.js";
import { CODE_LENGTHS } from "./tables.js";

const LENGTH_BITS = 8;

let builtTables: PrefixTables | undefined;

/**
 * Returns the tables of all codecs. The first codec builds them, because they take 82 kB and a third of a
 * millisecond.
 */
const sharedTables = (): PrefixTables => (builtTables ??= prefixTables(CODE_LENGTHS.join("")));

/** Codes the states of a packet's entities in either direction. */
export class StateCodec {
  readonly coder: BitCoder;
  readonly #rows: RowCoder;
  readonly #rowPlans: readonly RowPlan[];
  readonly #baselines = emptyBaselines();

  /**
   * @param plans kinds of entities, in an order that both sides agree on; `coder` replaces the codec's own
   */
  constructor(plans: readonly StatePlan[], capacityBytes: number, coder?: BitCoder) {
    this.#rowPlans = plans.map((plan) => new RowPlan(plan));
    this.coder = coder ?? new BitCoder(capacityBytes, sharedTables());
    this.#rows = new RowCoder(this.coder);
  }

  /**
   * Codes the states. An encoder reads them from the entities' own rows; a decoder writes them to `staged`,
   * at the places in `entries`. Returns false if a decoder finds a value out of range or runs out of bytes.
   */
  codeStates(entries: PacketEntries, tick: number, staged: Int32Array | undefined): boolean {
    const rows = this.#rows;
    rows.start();
    for (let index = 0; index < entries.count; index++) {
      if (entries.ticks0[index] !== NO_TICK) this.#expect(entries, index, tick, staged);
    }
    rows.codeMasks();
    for (let index = 0; index < entries.count; index++) {
      const plan = this.#rowPlans[entries.kinds[index]!]!;
      if (entries.ticks0[index] === NO_TICK) {
        if (!this.#codeWhole(plan, staged ?? entries.entities[index]!.rows, entries.places[index]!))
          return false;
      } else {
        this.#locate(entries, index, tick, staged);
        rows.code(plan, this.#baselines);
      }
      if (this.coder.isExhausted) return false;
      if (plan.texts > 0 && !this.#codeTexts(plan.plan, entries, index, tick)) return false;
    }
    return rows.isInRange;
  }

  #expect(entries: PacketEntries, index: number, tick: number, staged: Int32Array | undefined): void {
    const plan = this.#rowPlans[entries.kinds[index]!]!;
    this.#locate(entries, index, tick, staged);
    this.#rows.expect(plan, this.#baselines);
    if (plan.texts === 0) return;
    const entity = entries.entities[index]!;
    const before = entity.textsAt(entries.ticks0[index]!);
    const now = staged === undefined ? entity.textsAt(tick) : before;
    for (let text = 0; text < plan.texts; text++) this.#rows.expectText(!isSame(now[text], before[text]));
  }

  #locate(entries: PacketEntries, index: number, tick: number, staged: Int32Array | undefined): void {
    const { rows } = entries.entities[index]!;
    const baselines = this.#baselines;
    const tick0 = entries.ticks0[index]!;
    const tick1 = entries.ticks1[index]!;
    baselines.rows = rows;
    baselines.row = staged ?? rows;
    baselines.at = entries.places[index]!;
    baselines.at0 = entries.at0[index]!;
    baselines.at1 = entries.at1[index]!;
    baselines.at2 = entries.at2[index]!;
    baselines.age = (tick - tick0) | 0;
    baselines.gap1 = (tick0 - tick1) | 0;
    baselines.gap2 = (tick1 - entries.ticks2[index]!) | 0;
  }

  /** Codes a state without baselines: every column unpredicted. */
  #codeWhole({ columns, min, max, bits }: RowPlan, row: Int32Array, at: number): boolean {
    const coder = this.coder;
    let isInRange = true;
    for (let index = 0; index < columns.length; index++) {
      const column = at + columns[index]!;
      const low = min[index]!;
      const value = codeWide(coder, row[column]! - low, bits[index]!) + low;
      row[column] = value;
      if (value > max[index]!) isInRange = false;
    }
    return isInRange;
  }

  #codeTexts({ texts }: StatePlan, entries: PacketEntries, index: number, tick: number): boolean {
    const entity = entries.entities[index]!;
    const isDecoding = this.coder.isDecoding;
    const hasBaseline = entries.ticks0[index] !== NO_TICK;
    const before: Texts = hasBaseline ? entity.textsAt(entries.ticks0[index]!) : [];
    const now: Texts = isDecoding ? [] : entity.textsAt(tick);
    const coded: (string | Uint8Array)[] = [];
    for (let text = 0; text < texts.length; text++) {
      const { field } = texts[text]!;
      if (hasBaseline && !this.#rows.isTextChanged) {
        coded.push(before[text] ?? (field.kind === "string" ? "" : new Uint8Array(0)));
        continue;
      }
      const value = now[text] ?? "";
      const bytes = this.#codeBytes(typeof value === "string" ? encodeUtf8(value) : value);
      const decoded = field.kind === "string" ? decodeUtf8(bytes) : bytes;
      if (decoded === undefined || bytes.length > ("maxBytes" in field ? field.maxBytes : 0)) return false;
      coded.push(decoded);
    }
    entries.texts[index] = coded;
    return true;
  }

  #codeBytes(bytes: Uint8Array): Uint8Array {
    const coded = new Uint8Array(this.coder.bits(bytes.length, LENGTH_BITS));
    for (let at = 0; at < coded.length; at++) coded[at] = this.coder.bits(bytes[at] ?? 0, 8);
    return coded;
  }
}

function isSame(a: string | Uint8Array | undefined, b: string | Uint8Array | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
