import { emptyBaselines } from "./baselines.js";
import { EntityCoder } from "./entity-coder.js";
import { EntropyCoder } from "./entropy-coder.js";
import { integerLog, LOG_UNITS } from "./integer-log.js";
import type { PacketEntries } from "./packet-entries.js";
import type { HeadCoder } from "./packet-head.js";
import { NO_TICK } from "./packet-entries.js";
import { PacketGrids } from "./packet-grids.js";
import { ResidualModel } from "./residual-model.js";
import type { StatePlan } from "../plan/state-plan.js";
import { codeTexts } from "./text-coder.js";

const THIRTIETHS = 30;
/** integerLog counts from 1: ages are taken in 32nds of a thirtieth of a second, so that fractions remain. */
const AGE_FRACTIONS = 32;

/** Bits, written and read by the same calls: see EntropyCoder. */
interface PacketCoder extends HeadCoder {
  startEncoding(): void;
  startDecoding(bytes: Uint8Array): void;
  finish(): Uint8Array;
  release(): void;
  readonly isComplete: boolean;
  readonly isExhausted: boolean;
}

/** What codes the states of a packet, whichever way. */
export interface PacketCodec {
  readonly coder: PacketCoder;
  /**
   * An encoder finds the states in the entities' own rows; a decoder writes them to `staged`, where the entries say.
   * False where decoding found a value out of range or ran out of bytes.
   */
  codeStates(entries: PacketEntries, tick: number, staged: Int32Array | undefined): boolean;
}

/** Makes a codec for the plans of a packet; a decoder has a capacity of 0. */
export type MakeCodec = (plans: readonly StatePlan[], capacityBytes: number) => PacketCodec;

/** The grids of one kind of entity in a packet. */
interface KindGrids {
  readonly grids: PacketGrids;
  readonly broken: Uint8Array;
  isUsed: boolean;
}

/** Codes the states of a packet's entities, whichever way: the part that sender and receiver share. */
class SnapshotCodec implements PacketCodec {
  readonly coder: EntropyCoder;
  readonly model: ResidualModel;
  readonly plans: readonly StatePlan[];
  readonly #entities: EntityCoder;
  readonly #baselines = emptyBaselines();
  readonly #kinds: KindGrids[];
  #age = Number.NaN;

  /** @param plans the kinds of entities, in an order that both sides agree on */
  constructor(plans: readonly StatePlan[], capacityBytes: number) {
    this.plans = plans;
    this.coder = new EntropyCoder(capacityBytes);
    this.model = new ResidualModel(this.coder);
    this.#entities = new EntityCoder(this.model);
    this.#kinds = plans.map(({ width }) => ({
      grids: new PacketGrids(),
      broken: new Uint8Array(width),
      isUsed: false,
    }));
  }

  codeStates(entries: PacketEntries, tick: number, staged: Int32Array | undefined): boolean {
    this.#entities.start();
    this.#age = Number.NaN;
    this.#codeGrids(entries, staged === undefined);
    for (let index = 0; index < entries.count; index++) {
      const isCoded =
        entries.ticks0[index] === NO_TICK
          ? this.#codeWhole(entries, index, staged)
          : this.#codeDelta(entries, index, tick, staged);
      if (!isCoded || this.coder.isExhausted) return false;
      if (!this.#codeTexts(entries, index, tick, staged !== undefined)) return false;
    }
    return this.#entities.isInRange;
  }

  #codeGrids(entries: PacketEntries, isEncoding: boolean): void {
    for (const kind of this.#kinds) kind.isUsed = false;
    for (let index = 0; index < entries.count; index++) {
      if (entries.ticks0[index] === NO_TICK) continue;
      const plan = this.plans[entries.kinds[index]!]!;
      const kind = this.#kinds[entries.kinds[index]!]!;
      if (!kind.isUsed) {
        kind.isUsed = true;
        kind.grids.start(plan);
        kind.broken.fill(0);
      }
      kind.grids.observe(plan, entries.entities[index]!.rows, entries.at0[index]!);
    }
    if (isEncoding) this.#checkGrids(entries);
    for (const kind of this.#kinds) {
      if (kind.isUsed) kind.grids.code(this.model, kind.broken);
    }
  }

  #checkGrids(entries: PacketEntries): void {
    for (let index = 0; index < entries.count; index++) {
      if (entries.ticks0[index] === NO_TICK) continue;
      const { grids, broken } = this.#kinds[entries.kinds[index]!]!;
      grids.check(
        this.plans[entries.kinds[index]!]!,
        entries.entities[index]!.rows,
        entries.places[index]!,
        broken,
      );
    }
  }

  #codeDelta(entries: PacketEntries, index: number, tick: number, staged: Int32Array | undefined): boolean {
    const entity = entries.entities[index]!;
    const kind = entries.kinds[index]!;
    const baselines = this.#baselines;
    const tick0 = entries.ticks0[index]!;
    const tick1 = entries.ticks1[index]!;
    const tick2 = entries.ticks2[index]!;
    baselines.rows = entity.rows;
    baselines.row = staged ?? entity.rows;
    baselines.at = entries.places[index]!;
    baselines.at0 = entries.at0[index]!;
    baselines.at1 = entries.at1[index]!;
    baselines.at2 = entries.at2[index]!;
    baselines.age = (tick - tick0) | 0;
    baselines.gap1 = (tick0 - tick1) | 0;
    baselines.gap2 = (tick1 - tick2) | 0;
    const plan = this.plans[kind]!;
    this.#setAge(baselines.age, plan.tickHz);
    this.#entities.code(plan, baselines, this.#kinds[kind]!.grids);
    return true;
  }

  /** Nothing to predict from: every column as it is. */
  #codeWhole(entries: PacketEntries, index: number, staged: Int32Array | undefined): boolean {
    const plan = this.plans[entries.kinds[index]!]!;
    const row = staged ?? entries.entities[index]!.rows;
    const at = entries.places[index]!;
    let isInRange = true;
    for (const { first, count } of plan.groups) {
      for (let column = first; column < first + count; column++) {
        const min = plan.min[column]!;
        const value = this.model.codeBits(row[at + column]! - min, plan.bits[column]!) + min;
        row[at + column] = value;
        if (value > plan.max[column]!) isInRange = false;
      }
    }
    return isInRange;
  }

  #codeTexts(entries: PacketEntries, index: number, tick: number, isDecoding: boolean): boolean {
    const { texts } = this.plans[entries.kinds[index]!]!;
    if (texts.length === 0) return true;
    const entity = entries.entities[index]!;
    const baseline = entries.ticks0[index]!;
    const before = baseline === NO_TICK ? undefined : entity.textsAt(baseline);
    const coded = codeTexts(this.model, texts, isDecoding ? [] : entity.textsAt(tick), before);
    entries.texts[index] = coded;
    return coded !== undefined;
  }

  #setAge(age: number, tickHz: number): void {
    if (age === this.#age) return;
    this.#age = age;
    const scaled = Math.floor((age * THIRTIETHS * AGE_FRACTIONS) / tickHz);
    this.model.setAge(integerLog(Math.min(scaled, 2 ** 24)) - 5 * LOG_UNITS);
  }
}

export const fittedCodec: MakeCodec = (plans, capacityBytes) => new SnapshotCodec(plans, capacityBytes);
