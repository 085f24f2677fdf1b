import type { Degradation } from "./degradation.js";
import { ENTER_SHARE, type InterestPlan } from "./interest-options.js";

/** Assumed size of a state before the first was sent. */
const FIRST_GUESS_BYTES = 16;
/** Budget that may accumulate for a private list, s. */
const BURST_SECONDS = 0.25;

/** The numbers that all budgets of a room share. */
export interface BudgetTerms {
  readonly plan: InterestPlan;
  readonly degradation: Degradation;
  readonly tickHz: number;
  /** True if every viewer has a private list, because the game has an exact rule. */
  readonly privateLists: boolean;
}

/**
 * Keeps one viewer below its limits of entities and bytes, by the steps of {@link Degradation}. It learns how
 * many bytes a turn of an entity costs, over about a second, and so knows what a step would cost before it is
 * taken. A view recovers at 0.9 of a limit.
 */
export class ViewBudget {
  step: number;
  /** True if even the slowest rate needs more bytes than the limit. */
  isExceeded = false;
  readonly #terms: BudgetTerms;
  /** Sums over about the last second. */
  #bytes: number;
  #states: number;
  #tokens = 0;

  constructor(terms: BudgetTerms) {
    this.#terms = terms;
    this.step = terms.privateLists ? terms.degradation.privateList : 0;
    this.#states = terms.tickHz;
    this.#bytes = terms.tickHz * FIRST_GUESS_BYTES;
  }

  get hasPrivateList(): boolean {
    return this.step === this.#terms.degradation.privateList;
  }

  /** Mean bytes of one entity's turn: less than a state, since not every turn sends one. */
  get bytesPerState(): number {
    return this.#bytes / this.#states;
  }

  /** Returns the states that a private list may send now. */
  get affordable(): number {
    return Math.max(0, Math.floor(this.#tokens / this.bytesPerState));
  }

  /** Records the bytes of states that the viewer got since the last {@link choose}. */
  spent(bytes: number): void {
    this.#bytes += bytes;
    this.#tokens -= bytes;
  }

  /** Records turns of entities of the private list. */
  took(states: number): void {
    this.#states += states;
  }

  /**
   * Chooses the step for the next tick.
   *
   * @param counts entities in each ring
   * @param always entities that are sent at every tick, whatever the step
   */
  choose(counts: Uint32Array, always: number): void {
    const { plan, degradation, tickHz, privateLists } = this.#terms;
    const tickBytes = plan.bytesPerSecond / tickHz;
    this.#tokens = Math.min(
      this.#tokens + tickBytes,
      Math.max(tickBytes, plan.bytesPerSecond * BURST_SECONDS),
    );
    const decay = Math.max(0, 1 - 1 / tickHz);
    // The means stay what they are while nobody is in view.
    if (this.#states * decay > 1) {
      this.#bytes *= decay;
      this.#states *= decay;
    }
    if (privateLists) return;
    this.step = this.#chosen(counts, always, tickBytes);
    if (this.step < degradation.privateList) this.#states += degradation.statesAt(this.step, counts) + always;
  }

  #chosen(counts: Uint32Array, always: number, tickBytes: number): number {
    const { plan, degradation } = this.#terms;
    this.isExceeded = false;
    for (let step = 0; step < degradation.privateList; step++) {
      const share = step < this.step ? ENTER_SHARE : 1;
      if (degradation.entitiesAt(step, counts) > plan.maxEntities * share) continue;
      const states = degradation.statesAt(step, counts) + always;
      if (states * this.bytesPerState <= tickBytes * share) return step;
    }
    const share = this.hasPrivateList ? ENTER_SHARE : 1;
    const slowest = degradation.privateList - 1;
    if (degradation.entitiesAt(slowest, counts) > plan.maxEntities * share) return degradation.privateList;
    this.isExceeded = true;
    return slowest;
  }
}
