import type { StateShortage } from "../replica/state-budget.js";
import type { Degradation } from "./degradation.js";
import { ENTER_SHARE, type InterestPlan } from "./interest-options.js";

/** Assumed size of a state before the first was sent. */
const FIRST_GUESS_BYTES = 16;
/** Budget that may accumulate for a private list, s. */
const BURST_SECONDS = 0.25;

/** Bytes over about the last second. */
const BYTES = 0;
/** Turns of entities over about the last second. */
const STATES = 1;
/** Bytes that a private list may send now. */
const TOKENS = 2;
/** Turns of entities per tick at the step that was looked at last. */
const TURNS = 3;
/** Shortest time of a lack that counts, s. */
const SHORT_SECONDS = 1;

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
  /** The viewer's own limit, where it is smaller than the room's, bytes per second. */
  limitBytesPerSecond = Infinity;
  readonly #terms: BudgetTerms;
  /** Ticks for which states have waited without a break. */
  #shortTicks = 0;
  /** Entities that wait for a state, and turns of entities per tick that would be needed. */
  #waiting = 0;
  #needed = 0;
  /** An array, since each write of such a number to a field makes an object. */
  readonly #sums = new Float64Array(4);

  constructor(terms: BudgetTerms) {
    this.#terms = terms;
    this.step = terms.privateLists ? terms.degradation.privateList : 0;
    this.#sums[STATES] = terms.tickHz;
    this.#sums[BYTES] = terms.tickHz * FIRST_GUESS_BYTES;
  }

  get hasPrivateList(): boolean {
    return this.step === this.#terms.degradation.privateList;
  }

  /** The limit in force, bytes per second. */
  get bytesPerSecond(): number {
    return Math.min(this.#terms.plan.bytesPerSecond, this.limitBytesPerSecond);
  }

  /** Mean bytes of one entity's turn: less than a state, since not every turn sends one. */
  get bytesPerState(): number {
    return this.#sums[BYTES]! / this.#sums[STATES]!;
  }

  /** Returns the states that a private list may send now. */
  get affordable(): number {
    return Math.max(0, Math.floor(this.#sums[TOKENS]! / this.bytesPerState));
  }

  /** The states that have waited for a second because the limit is too small; undefined if it suffices. */
  get shortage(): StateShortage | undefined {
    const { tickHz } = this.#terms;
    if (this.#shortTicks < SHORT_SECONDS * tickHz) return undefined;
    const neededBytesPerSecond = Math.ceil(this.#needed * this.bytesPerState * tickHz);
    return { waiting: this.#waiting, neededBytesPerSecond };
  }

  /** Records the bytes of states that the viewer got since the last {@link choose}. */
  spent(bytes: number): void {
    this.#sums[BYTES]! += bytes;
    this.#sums[TOKENS]! -= bytes;
  }

  /** Records turns of entities of the private list. `wanted`: those for which it would be time. */
  took(states: number, wanted: number): void {
    this.#sums[STATES]! += states;
    this.#lack(wanted - states, wanted);
  }

  #lack(waiting: number, needed: number): void {
    this.#shortTicks = waiting > 0 ? this.#shortTicks + 1 : 0;
    this.#waiting = waiting;
    this.#needed = needed;
  }

  /**
   * Chooses the step for the next tick.
   *
   * @param counts entities in each ring
   * @param always entities that are sent at every tick, whatever the step
   */
  choose(counts: Int32Array, always: number): void {
    const { degradation, tickHz, privateLists } = this.#terms;
    const { bytesPerSecond } = this;
    const tickBytes = bytesPerSecond / tickHz;
    const sums = this.#sums;
    const mostTokens = Math.max(tickBytes, bytesPerSecond * BURST_SECONDS);
    sums[TOKENS] = Math.min(sums[TOKENS]! + tickBytes, mostTokens);
    const decay = Math.max(0, 1 - 1 / tickHz);
    // The means stay what they are while nobody is in view.
    if (sums[STATES]! * decay > 1) {
      sums[BYTES]! *= decay;
      sums[STATES]! *= decay;
    }
    if (privateLists) return;
    this.step = this.#chosen(counts, always);
    if (this.step === degradation.privateList) return;
    const turns = sums[TURNS]!;
    sums[STATES]! += turns;
    if (!this.isExceeded) return this.#lack(0, turns);
    const entities = always + degradation.entitiesAt(this.step, counts);
    const share = tickBytes / (turns * this.bytesPerState);
    this.#lack(Math.ceil(entities * Math.max(0, 1 - share)), turns);
  }

  #chosen(counts: Int32Array, always: number): number {
    const { plan, degradation } = this.#terms;
    const { privateList } = degradation;
    this.isExceeded = false;
    for (let step = 0; step < privateList; step++) {
      const share = step < this.step ? ENTER_SHARE : 1;
      if (degradation.entitiesAt(step, counts) > plan.maxEntities * share) continue;
      if (this.#affords(step, counts, always)) return step;
    }
    const share = this.hasPrivateList ? ENTER_SHARE : 1;
    if (degradation.entitiesAt(privateList - 1, counts) > plan.maxEntities * share) return privateList;
    this.isExceeded = true;
    return privateList - 1;
  }

  /** Returns true if the bytes of a step are within the limit, and notes its turns per tick. */
  #affords(step: number, counts: Int32Array, always: number): boolean {
    const { degradation, tickHz } = this.#terms;
    const rates = degradation.ratesAt(step);
    let turns = always;
    for (let ring = 0; ring < counts.length; ring++) turns += counts[ring]! * rates[ring]!;
    this.#sums[TURNS] = turns;
    const share = step < this.step ? ENTER_SHARE : 1;
    return (turns * this.#sums[BYTES]!) / this.#sums[STATES]! <= (this.bytesPerSecond / tickHz) * share;
  }
}
