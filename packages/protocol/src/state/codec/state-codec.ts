import { emptyBaselines, setAges } from "./baselines.js";
import { codeWide, BitCoder } from "./bit-coder.js";
import { NO_TICK, type PacketEntries } from "./packet-entries.js";
import type { EntityRows, Texts } from "../columns/entity-rows.js";
import type { StatePlan } from "../columns/state-plan.js";
import { textLengthBits } from "../columns/state-size.js";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.js";
import { prefixTables, type PrefixTables } from "./prefix-tables.js";
import { RowPlan } from "./row-plan.js";
import { RowCoder } from "./row-coder.js";
import { CODE_LENGTHS } from "./tables.js";

let builtTables: PrefixTables | undefined;

/**
 * Returns the tables of all codecs. The first codec builds them, because they take 82 kB and a third of a
 * millisecond.
 */
const sharedTables = (): PrefixTables => (builtTables ??= prefixTables(CODE_LENGTHS.join("")));

/** Codes the states of a packet's entities in either direction. */
export class StateCodec {
  readonly coder: BitCoder;
  /** An encoder's states. They follow the mask bits, which are known when all states are written. */
  readonly #body: BitCoder;
  readonly #rows: RowCoder;
  readonly #rowPlans: readonly RowPlan[];
  readonly #baselines = emptyBaselines();

  /**
   * @param plans kinds of entities, in an order that both sides agree on; `newCoder` replaces the codec's own
   * coders
   */
  constructor(
    plans: readonly StatePlan[],
    capacityBytes: number,
    newCoder = () => new BitCoder(capacityBytes, sharedTables()),
  ) {
    this.#rowPlans = plans.map((plan) => new RowPlan(plan));
    this.coder = newCoder();
    this.#body = newCoder();
    this.#rows = new RowCoder(this.coder, this.#body);
  }

  /** Encodes the states, from the entities' own rows. */
  encode(entries: PacketEntries, tick: number): void {
    const rows = this.#rows;
    const body = this.#body;
    rows.start();
    body.startEncoding();
    for (let index = 0; index < entries.count; index++) {
      const plan = this.#rowPlans[entries.kinds[index]!]!;
      const entity = entries.entities[index]!;
      const isWhole = entries.ticks0[index] === NO_TICK;
      if (isWhole) this.#codeWhole(body, plan, entity.rows, entries.places[index]!);
      else {
        this.#locate(entries, index, tick, entity.rows);
        rows.write(plan, this.#baselines);
      }
      if (plan.texts > 0) this.#writeTexts(entity, tick, isWhole ? undefined : entries.ticks0[index]!);
    }
    rows.codeMasks();
    this.coder.append(body);
  }

  /**
   * Decodes the states to `staged`, at the places in `entries`. Returns false if a value is out of range or
   * the bytes run out.
   */
  decode(entries: PacketEntries, tick: number, staged: Int32Array): boolean {
    const rows = this.#rows;
    rows.start();
    for (let index = 0; index < entries.count; index++) {
      if (entries.ticks0[index] === NO_TICK) continue;
      const plan = this.#rowPlans[entries.kinds[index]!]!;
      this.#locate(entries, index, tick, staged);
      rows.expect(plan, this.#baselines);
      for (let text = 0; text < plan.texts; text++) rows.expectText();
    }
    rows.codeMasks();
    for (let index = 0; index < entries.count; index++) {
      const plan = this.#rowPlans[entries.kinds[index]!]!;
      if (entries.ticks0[index] === NO_TICK) {
        if (!this.#codeWhole(this.coder, plan, staged, entries.places[index]!)) return false;
      } else {
        this.#locate(entries, index, tick, staged);
        rows.read(plan, this.#baselines);
      }
      if (this.coder.isExhausted) return false;
      if (plan.texts > 0 && !this.#readTexts(plan.plan, entries, index)) return false;
    }
    return rows.isInRange;
  }

  #locate(entries: PacketEntries, index: number, tick: number, row: Int32Array): void {
    const { rows } = entries.entities[index]!;
    const baselines = this.#baselines;
    const tick0 = entries.ticks0[index]!;
    const tick1 = entries.ticks1[index]!;
    baselines.rows = rows;
    baselines.row = row;
    baselines.at = entries.places[index]!;
    baselines.at0 = entries.at0[index]!;
    baselines.at1 = entries.at1[index]!;
    baselines.at2 = entries.at2[index]!;
    const gap2 = baselines.at2 < 0 ? 0 : (tick1 - entries.ticks2[index]!) | 0;
    setAges(baselines, (tick - tick0) | 0, (tick0 - tick1) | 0, gap2);
  }

  /** Codes a state without baselines: every column unpredicted. */
  #codeWhole(coder: BitCoder, { columns, min, max, bits }: RowPlan, row: Int32Array, at: number): boolean {
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

  #writeTexts(entity: EntityRows, tick: number, tick0: number | undefined): void {
    const now = entity.textsAt(tick);
    const before = tick0 === undefined ? undefined : entity.textsAt(tick0);
    const { texts } = entity.plan;
    for (let text = 0; text < texts.length; text++) {
      const value = now[text] ?? "";
      const hasChanged = !before || !isSame(now[text], before[text]);
      if (before) this.#rows.writeText(hasChanged);
      if (!hasChanged) continue;
      const bytes = typeof value === "string" ? encodeUtf8(value) : value;
      this.#body.bits(bytes.length, textLengthBits(texts[text]!));
      for (const byte of bytes) this.#body.bits(byte, 8);
    }
  }

  #readTexts({ texts }: StatePlan, entries: PacketEntries, index: number): boolean {
    const tick0 = entries.ticks0[index]!;
    const before: Texts = tick0 === NO_TICK ? [] : entries.entities[index]!.textsAt(tick0);
    const read: (string | Uint8Array)[] = [];
    for (let text = 0; text < texts.length; text++) {
      const described = texts[text]!;
      const { field } = described;
      if (tick0 !== NO_TICK && !this.#rows.isTextChanged) {
        read.push(before[text] ?? (field.kind === "string" ? "" : new Uint8Array(0)));
        continue;
      }
      const bytes = new Uint8Array(this.coder.bits(0, textLengthBits(described)));
      for (let at = 0; at < bytes.length; at++) bytes[at] = this.coder.bits(0, 8);
      const decoded = field.kind === "string" ? decodeUtf8(bytes) : bytes;
      if (decoded === undefined || bytes.length > ("maxBytes" in field ? field.maxBytes : 0)) return false;
      read.push(decoded);
    }
    entries.texts[index] = read;
    return true;
  }
}

function isSame(a: string | Uint8Array | undefined, b: string | Uint8Array | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
