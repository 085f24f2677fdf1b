/** A band of a measured quantity: from this value on, until the next band begins. The lowest begins at 0. */
export interface Band<Name extends string = string> {
  readonly name: Name;
  readonly from: number;
}

/** A worse band is entered when the value was in it, or in worse ones, for so long without a break. */
const ENTER_AFTER_MS = 3000;
/** A band is left for a better one when the value was clearly better for so long without a break. */
const LEAVE_AFTER_MS = 15_000;
/** Clearly better: below this share of where the band begins. */
const LEAVE_SHARE = 0.7;

/**
 * The band of a value that jumps about: worse within seconds, better only after a while, so that decisions made from it
 * do not flap. Pure: time comes in.
 */
export class SteadyBand<Name extends string = string> {
  readonly #bands: readonly Band<Name>[];
  #at = 0;
  /** Sign of the direction in which the value has left the band, and since when. */
  #direction = 0;
  #sinceMs = 0;
  /** The band nearest to the present one that was reached meanwhile. */
  #nearest = 0;

  constructor(bands: readonly [Band<Name>, ...Band<Name>[]]) {
    this.#bands = bands;
  }

  get name(): Name {
    return this.#bands[this.#at]!.name;
  }

  /** Takes a value and answers with the band that counts now. */
  update(value: number, nowMs: number): Name {
    const target = this.#target(value);
    const direction = Math.sign(target - this.#at);
    if (direction === 0) {
      this.#direction = 0;
      return this.name;
    }
    if (direction !== this.#direction) {
      this.#direction = direction;
      this.#sinceMs = nowMs;
      this.#nearest = target;
    }
    const isNearer = direction > 0 ? target < this.#nearest : target > this.#nearest;
    if (isNearer) this.#nearest = target;
    if (nowMs - this.#sinceMs >= (direction > 0 ? ENTER_AFTER_MS : LEAVE_AFTER_MS)) {
      this.#at = this.#nearest;
      this.#direction = 0;
    }
    return this.name;
  }

  /** Where the value belongs: worse by the limits themselves, better only by a margin. */
  #target(value: number): number {
    let reached = 0;
    let kept = 0;
    this.#bands.forEach(({ from }, index) => {
      if (value >= from) reached = index;
      if (value >= from * LEAVE_SHARE) kept = index;
    });
    return reached >= this.#at ? reached : Math.min(this.#at, kept);
  }
}
