import { ConfigError } from "../../errors/errors.js";
import type { StatePlan } from "./state-plan.js";

/** Text fields of one state, in the order of the plan. */
export type Texts = readonly (string | Uint8Array)[];

const NO_TICK = -1;

/**
 * The latest states of one entity, by tick. On both sides the tick determines the slot of a state, and a
 * newer state replaces an older one of the same slot. So a receiver still holds every state that the sender
 * holds and has seen acknowledged.
 */
export class EntityRows {
  readonly id: number;
  readonly plan: StatePlan;
  /** The states by slot, each after its tick: processors fetch both at once. */
  readonly rows: Int32Array;
  readonly #textsBySlot: Texts[] | undefined;
  readonly #mask: number;
  readonly #stride: number;
  /** Tick of the newest state. */
  newest = NO_TICK;
  /** Tick of the first state. */
  firstTick = 0;
  /** Small number, unique among the entities of a history, reused after the removal of the entity. */
  index = 0;
  /** Index of the entity's plan. */
  kind = 0;
  /** Owner of the next state. */
  owner = 0;
  teleports = 0;
  /** True after the removal of the entity. */
  isRemoved = false;

  /** @param capacity number of states kept: a power of two */
  constructor(id: number, plan: StatePlan, capacity: number) {
    if (!Number.isInteger(Math.log2(capacity)) || capacity < 4 || capacity > 1024) {
      throw new ConfigError("historyTicks", capacity, "a power of two from 4 to 1024");
    }
    this.id = id;
    this.plan = plan;
    this.#mask = capacity - 1;
    this.#stride = plan.width + 1;
    this.rows = new Int32Array(capacity * this.#stride);
    this.#textsBySlot = plan.texts.length > 0 ? Array.from({ length: capacity }, () => []) : undefined;
    this.clear();
  }

  /** True before the first state: no packet can have contained the entity. */
  get isEmpty(): boolean {
    return this.newest === NO_TICK;
  }

  /** Returns the offset in `rows` of a tick's state, or -1 if there is none. */
  find(tick: number): number {
    const at = (tick & this.#mask) * this.#stride;
    return this.rows[at] === (tick | 0) ? at + 1 : -1;
  }

  /**
   * Returns true if the state of a tick is kept and may be a baseline at `now`: its place is not needed within a
   * sixteenth of the history. A packet of that time could overtake one that builds on the state.
   */
  keeps(tick: number, now: number): boolean {
    return this.find(tick) >= 0 && ((tick - now - 1) & this.#mask) > this.#mask >> 4;
  }

  /** Returns true if the numbers of two kept states are the same. */
  isSameAt(tick: number, other: number): boolean {
    const a = this.find(tick);
    const b = this.find(other);
    for (let column = 0; column < this.plan.width; column++) {
      if (this.rows[a + column] !== this.rows[b + column]) return false;
    }
    return true;
  }

  /** Reserves the slot of a tick's state and returns its offset, or -1 if the slot holds a newer state. */
  reserve(tick: number): number {
    const slot = tick & this.#mask;
    const at = slot * this.#stride;
    const held = this.rows[at]!;
    if ((held & this.#mask) === slot && ((held - tick) | 0) > 0) return -1;
    this.rows[at] = tick;
    if (this.newest === NO_TICK || ((tick - this.newest) | 0) > 0) this.newest = tick;
    return at + 1;
  }

  textsAt(tick: number): Texts {
    return this.#textsBySlot?.[tick & this.#mask] ?? [];
  }

  setTexts(tick: number, texts: Texts): void {
    if (this.#textsBySlot) this.#textsBySlot[tick & this.#mask] = texts;
  }

  clear(): void {
    // A tick of the next slot stands for none.
    for (let slot = 0; slot <= this.#mask; slot++) this.rows[slot * this.#stride] = slot + 1;
    this.newest = NO_TICK;
  }
}
