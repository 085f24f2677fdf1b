const FIRST_NUMBER = 1;
const LAST_NUMBER = 0xffff;
/**
 * A newcomer's number follows that of the newest member within this distance, so that members can tell who came
 * first ({@link firstNumber} of protocol). More numbers than a room at the default rate of joins frees in a
 * quarantine.
 */
const WINDOW = 8192;
/** Shortest quarantine of a free number, ms. */
const MIN_QUARANTINE_MS = 120_000;

/**
 * The numbers of a room's participants, from 1 to 65535 and from 1 again. A number is not given again before it was
 * free for longer than any packet to or from its last owner may be on its way.
 */
export class PeerNumbers {
  readonly #quarantineMs: number;
  /** Number of owners: a player who has reloaded its page keeps its first number besides its new one. */
  readonly #used = new Map<number, number>();
  /** Times of release, the oldest first. */
  readonly #freedAtMs = new Map<number, number>();
  #last: number;

  /**
   * `maxSilenceMs`: time for which a packet may wait on a link before the link is given up. `last`: the number that
   * was given out last.
   */
  constructor(maxSilenceMs: number, last = FIRST_NUMBER - 1) {
    this.#last = last;
    this.#quarantineMs = Math.max(MIN_QUARANTINE_MS, 2 * maxSilenceMs);
  }

  /** The number that was given out last; 0 before the first one. */
  get last(): number {
    return this.#last;
  }

  /** Returns how many numbers can be given out. */
  free(nowMs: number): number {
    this.#endQuarantines(nowMs);
    return LAST_NUMBER - this.#used.size - this.#freedAtMs.size;
  }

  /** Returns a number for a newcomer. `newest`: that of the newest member. There must be a free one. */
  next(newest: number | undefined, nowMs: number): number {
    this.#endQuarantines(nowMs);
    const isFar = newest !== undefined && (this.#last - newest + LAST_NUMBER) % LAST_NUMBER >= WINDOW;
    let number = after(isFar ? newest : this.#last);
    while (this.#used.has(number) || this.#freedAtMs.has(number)) number = after(number);
    return (this.#last = number);
  }

  take(number: number): void {
    this.#used.set(number, (this.#used.get(number) ?? 0) + 1);
    this.#freedAtMs.delete(number);
  }

  release(number: number, nowMs: number): void {
    const owners = (this.#used.get(number) ?? 1) - 1;
    if (owners > 0) return void this.#used.set(number, owners);
    this.#used.delete(number);
    this.#freedAtMs.set(number, nowMs);
  }

  #endQuarantines(nowMs: number): void {
    for (const [number, freedAtMs] of this.#freedAtMs) {
      if (nowMs - freedAtMs < this.#quarantineMs) return;
      this.#freedAtMs.delete(number);
    }
  }
}

function after(number: number): number {
  return number >= LAST_NUMBER ? FIRST_NUMBER : number + 1;
}
