import type { Band } from "./bands.js";

/** Default time for which a value must stay in a worse band before the band changes, ms. */
export const ENTER_AFTER_MS = 3000;
/** Default time for which a value must stay clearly better before the band changes, ms. */
export const LEAVE_AFTER_MS = 15_000;
/** A value is clearly better if it is below this share of the band's lower limit. */
const LEAVE_SHARE = 0.7;

/** Takes a value. Returns true if the value counts as at or above the limit. */
type Limit = (value: number, nowMs: number) => boolean;

/**
 * Returns the lower limit of one band, with its own clock. A value that crosses another limit does not restart it.
 */
function steadyLimit(from: number, enterAfterMs: number, leaveAfterMs: number): Limit {
  let isReached = false;
  /** Time since which every value has been on the other side of the limit. */
  let sinceMs: number | undefined;
  return (value, nowMs) => {
    const isCrossed = isReached ? value < from * LEAVE_SHARE : value >= from;
    sinceMs = isCrossed ? (sinceMs ?? nowMs) : undefined;
    if (sinceMs === undefined || nowMs - sinceMs < (isReached ? leaveAfterMs : enterAfterMs))
      return isReached;
    sinceMs = undefined;
    isReached = !isReached;
    return isReached;
  };
}

/**
 * The band of a value that varies much. It changes to a worse band within seconds and to a better one only
 * after a while, so that decisions made from it do not flap. Has no clock of its own.
 */
export class SteadyBand<Name extends string = string> {
  readonly #bands: readonly [Band<Name>, ...Band<Name>[]];
  /** Lower limits of all bands but the lowest, in order. */
  readonly #limits: readonly Limit[];
  #at = 0;

  constructor(
    bands: readonly [Band<Name>, ...Band<Name>[]],
    enterAfterMs = ENTER_AFTER_MS,
    leaveAfterMs = LEAVE_AFTER_MS,
  ) {
    this.#bands = bands;
    this.#limits = bands.slice(1).map(({ from }) => steadyLimit(from, enterAfterMs, leaveAfterMs));
  }

  get name(): Name {
    return this.#bands[this.#at]!.name;
  }

  /** Takes a value and returns the present band. */
  update(value: number, nowMs: number): Name {
    // No limit counts as reached without those below it, so that the number of reached limits is the band.
    this.#at = this.#limits.filter((isReached) => isReached(value, nowMs)).length;
    return this.name;
  }
}
