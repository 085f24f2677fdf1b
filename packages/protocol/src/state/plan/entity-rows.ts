import { ConfigError } from "../../errors/errors.js";
import type { StatePlan } from "./state-plan.js";

/** Texts of one state, in the order of the plan. */
export type Texts = readonly (string | Uint8Array)[];

const NO_TICK = -1;

/**
 * The latest states of one entity, by tick. Sender and receivers keep a state in the place that its tick names, and
 * a newer one of the same place replaces it; so a receiver never lacks what the sender still has and knows it got.
 */
export class EntityRows {
  readonly id: number;
  readonly plan: StatePlan;
  readonly rows: Int32Array;
  readonly #ticks: Float64Array;
  readonly #texts: Texts[] | undefined;
  readonly #mask: number;
  readonly #width: number;
  /** Tick of the newest state. */
  newest = NO_TICK;
  /** Tick of the first state. */
  bornTick = 0;
  /** A small number of its own among the entities of a history, used again after it has gone. */
  index = 0;
  /** Which of the plans is its own. */
  kind = 0;
  /** Owner of the next state. */
  owner = 0;
  teleports = 0;
  /** No longer among the living. */
  isGone = false;

  /** @param capacity states kept: a power of two */
  constructor(id: number, plan: StatePlan, capacity: number) {
    if (!Number.isInteger(Math.log2(capacity)) || capacity < 4 || capacity > 1024) {
      throw new ConfigError({
        field: "historyTicks",
        value: capacity,
        expected: "a power of two from 4 to 1024",
      });
    }
    this.id = id;
    this.plan = plan;
    this.#mask = capacity - 1;
    this.#width = plan.width;
    this.rows = new Int32Array(capacity * plan.width);
    this.#ticks = new Float64Array(capacity).fill(NO_TICK);
    this.#texts = plan.texts.length > 0 ? Array.from({ length: capacity }, () => []) : undefined;
  }

  /** Offset in `rows` of the state of a tick; -1 if there is none. */
  find(tick: number): number {
    const slot = tick & this.#mask;
    return this.#ticks[slot] === tick ? slot * this.#width : -1;
  }

  /** Whether the state of a tick that was there once still is. */
  holds(tick: number): boolean {
    return ((this.newest - tick) | 0) <= this.#mask || this.find(tick) >= 0;
  }

  /** Makes room for the state of a tick and returns where it begins; -1 if its place holds a newer one. */
  claim(tick: number): number {
    const slot = tick & this.#mask;
    const held = this.#ticks[slot]!;
    if (held !== NO_TICK && ((held - tick) | 0) > 0) return -1;
    this.#ticks[slot] = tick;
    if (this.newest === NO_TICK || ((tick - this.newest) | 0) > 0) this.newest = tick;
    return slot * this.#width;
  }

  textsAt(tick: number): Texts {
    return this.#texts?.[tick & this.#mask] ?? [];
  }

  setTexts(tick: number, texts: Texts): void {
    if (this.#texts) this.#texts[tick & this.#mask] = texts;
  }

  forget(): void {
    this.#ticks.fill(NO_TICK);
    this.newest = NO_TICK;
  }
}
