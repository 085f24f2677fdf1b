import { SEQUENCE_MODULUS } from "@paceline/protocol";

interface Flying {
  readonly sequence: number;
  readonly sentAtMs: number;
}

/** A state that took this much longer than the quickest one stands in a queue somewhere: nothing is added to it. */
const QUEUE_MS = 250;
/** Before anything was acknowledged nobody knows how quick the path is. */
const UNKNOWN_BASE_MS = 500;
/** States that may go for each one that arrived: fewer while they arrive late, more while they do not. */
const SHARE_IF_LATE = 0.5;
const SHARE_IF_TIMELY = 1.25;
/** Without acknowledgements one state still goes out at this period. */
const PROBE_PERIOD_MS = 250;
/** After this time without acknowledgements, packets in flight count as lost. */
const LOST_AFTER_MS = 2000;

/**
 * Finds a queue that nobody can see from the time that states take. What a kernel's socket or an SCTP association has
 * accepted is not in `bufferedAmount`, and it may be seconds' worth; so states wait, where a newer one takes their
 * place, once the oldest one that is on its way has been so for much longer than the path needs. From then on arrivals
 * make room for others, until nothing waits any more. Loss alone slows nothing down. Pure: time comes in.
 */
export class PathDelay {
  #flying: Flying[] = [];
  #baseMs: number | undefined;
  /** States that may go although the path is slow; undefined while it is not. */
  #credit: number | undefined;
  #sentAtMs = Number.NEGATIVE_INFINITY;

  /** Whether the path takes less than it is given. */
  isSlow(nowMs: number): boolean {
    return this.#credit !== undefined || this.#isOldestLate(nowMs);
  }

  /** Whether one more state may go now. */
  mayGo(nowMs: number): boolean {
    const newest = this.#flying.at(-1);
    if (newest && nowMs - newest.sentAtMs > LOST_AFTER_MS) this.#forgetFlying();
    else if (this.#isOldestLate(nowMs)) this.#credit ??= 0;
    return (this.#credit ?? 1) >= 1 || nowMs - this.#sentAtMs >= PROBE_PERIOD_MS;
  }

  /** A state leaves. `hasAsked`: it was asked for by {@link mayGo}, and takes what that gave. */
  sent(sequence: number, hasAsked: boolean, nowMs: number): void {
    if (hasAsked && this.#credit !== undefined && this.#credit >= 1) this.#credit -= 1;
    this.#sentAtMs = nowMs;
    this.#flying.push({ sequence, sentAtMs: nowMs });
    // Sequences come again after so many.
    if (this.#flying.length > SEQUENCE_MODULUS / 4) this.#flying.shift();
  }

  /** The state has arrived: those before it have, too, or never will. True where it came in time. */
  acknowledged(sequence: number, nowMs: number): boolean {
    let index = 0;
    while (index < this.#flying.length && this.#flying[index]!.sequence !== sequence) index += 1;
    const flying = this.#flying[index];
    if (!flying) return false;
    const tookMs = nowMs - flying.sentAtMs;
    if (index === 0) this.#flying.shift();
    else this.#flying.splice(0, index + 1);
    this.#baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    const isLate = this.#isLate(tookMs);
    if (this.#credit !== undefined) this.#credit += (index + 1) * (isLate ? SHARE_IF_LATE : SHARE_IF_TIMELY);
    return !isLate;
  }

  /** States arrive in time and none waits: the queue is gone. */
  recovered(): void {
    this.#credit = undefined;
  }

  /** Another path: nothing is known of it. */
  moved(): void {
    this.#forgetFlying();
    this.#baseMs = undefined;
  }

  #isOldestLate(nowMs: number): boolean {
    const oldest = this.#flying[0];
    return oldest !== undefined && this.#isLate(nowMs - oldest.sentAtMs);
  }

  #isLate(tookMs: number): boolean {
    return tookMs > (this.#baseMs ?? UNKNOWN_BASE_MS) + QUEUE_MS;
  }

  #forgetFlying(): void {
    this.#flying = [];
    this.#credit = undefined;
  }
}
