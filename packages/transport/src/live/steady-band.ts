import type { Band } from "../profiles/bands.js";

/** A value enters a worse band by default once it was in it, or in worse ones, for so long without a break. */
export const ENTER_AFTER_MS = 3000;
/** A band is left for a better one when the value was clearly better for so long without a break. */
export const LEAVE_AFTER_MS = 15_000;
/** Clearly better: below this share of where the band begins. */
const LEAVE_SHARE = 0.7;

/** The lower limit of one band, with its own clock: a value that crosses another limit does not restart it. */
class Limit {
  readonly #from: number;
  readonly #enterAfterMs: number;
  readonly #leaveAfterMs: number;
  #isReached = false;
  /** Since when the value contradicts the present state without a break. */
  #sinceMs: number | undefined;

  constructor(from: number, enterAfterMs: number, leaveAfterMs: number) {
    this.#from = from;
    this.#enterAfterMs = enterAfterMs;
    this.#leaveAfterMs = leaveAfterMs;
  }

  /** True while the value counts as being above the limit. */
  update(value: number, nowMs: number): boolean {
    const isContrary = this.#isReached ? value < this.#from * LEAVE_SHARE : value >= this.#from;
    if (!isContrary) {
      this.#sinceMs = undefined;
      return this.#isReached;
    }
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs < (this.#isReached ? this.#leaveAfterMs : this.#enterAfterMs))
      return this.#isReached;
    this.#sinceMs = undefined;
    this.#isReached = !this.#isReached;
    return this.#isReached;
  }
}

/**
 * The band of a value that jumps about: worse within seconds, better only after a while, so that decisions made from it
 * do not flap. Pure: time comes in.
 */
export class SteadyBand<Name extends string = string> {
  readonly #bands: readonly [Band<Name>, ...Band<Name>[]];
  /** Limits of every band but the lowest, in their order. */
  readonly #limits: readonly Limit[];
  #at = 0;

  constructor(
    bands: readonly [Band<Name>, ...Band<Name>[]],
    enterAfterMs = ENTER_AFTER_MS,
    leaveAfterMs = LEAVE_AFTER_MS,
  ) {
    this.#bands = bands;
    this.#limits = bands.slice(1).map(({ from }) => new Limit(from, enterAfterMs, leaveAfterMs));
  }

  get name(): Name {
    return this.#bands[this.#at]!.name;
  }

  /** Takes a value and answers with the band that counts now. */
  update(value: number, nowMs: number): Name {
    // A limit is never reached without those below it: what contradicts one of them contradicts it as well.
    this.#at = this.#limits.filter((limit) => limit.update(value, nowMs)).length;
    return this.name;
  }
}
