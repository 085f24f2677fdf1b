import { SEQUENCE_MODULUS } from "@paceline/protocol";

interface Held {
  readonly sequence: number;
  readonly packet: Uint8Array;
  readonly key: number;
}

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
/** Where acknowledgements stay away, one state goes out so often all the same. */
const PROBE_PERIOD_MS = 250;
/** Where they stay away so long, what was on its way is taken for lost. */
const LOST_AFTER_MS = 2000;

/**
 * Holds states back while the path cannot take more. What a kernel's socket or an SCTP association has accepted can be
 * neither seen nor replaced, and it may be seconds' worth; so states wait here, where a newer one takes their place,
 * once the oldest one that is on its way has been so for much longer than the path needs. From then on arrivals make
 * room for others, until nothing waits any more. Pure: time comes in.
 */
export class StateGate {
  readonly #send: (packet: Uint8Array, key: number) => void;
  /** By key, those that have waited longest first. */
  readonly #held = new Map<number, Held>();
  #flying: Flying[] = [];
  #baseMs: number | undefined;
  /** States that may go although the path is slow; undefined while it is not. */
  #credit: number | undefined;
  #sentAtMs = Number.NEGATIVE_INFINITY;

  constructor(send: (packet: Uint8Array, key: number) => void) {
    this.#send = send;
  }

  /** What is held back takes in memory. */
  get heldBytes(): number {
    let bytes = 0;
    for (const { packet } of this.#held.values()) bytes += packet.length;
    return bytes;
  }

  /** A state that wants to go; with key 0 it replaces none and does not wait. */
  take(state: Held, nowMs: number): void {
    if (state.key === 0) return this.#release(state, nowMs);
    const oldest = this.#flying[0];
    if (oldest && this.#isLate(nowMs - oldest.sentAtMs)) this.#credit ??= 0;
    if (this.#credit === undefined) return this.#release(state, nowMs);
    this.#held.set(state.key, state);
    this.update(nowMs);
  }

  /** Whether the path takes less than it is given. */
  isSlow(nowMs: number): boolean {
    const oldest = this.#flying[0];
    return this.#credit !== undefined || (oldest !== undefined && this.#isLate(nowMs - oldest.sentAtMs));
  }

  /** Whether a state would leave at once, or in a moment. */
  hasRoom(nowMs: number): boolean {
    if (this.#held.size > 0) return false;
    return !this.isSlow(nowMs) || (this.#credit ?? 0) >= 1 || nowMs - this.#sentAtMs >= PROBE_PERIOD_MS;
  }

  /** The state has arrived: those before it have, too, or never will. */
  acknowledged(sequence: number, nowMs: number): void {
    const index = this.#flying.findIndex((flying) => flying.sequence === sequence);
    if (index < 0) return;
    const tookMs = nowMs - this.#flying[index]!.sentAtMs;
    this.#flying.splice(0, index + 1);
    this.#baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    const isLate = this.#isLate(tookMs);
    if (this.#credit !== undefined) this.#credit += (index + 1) * (isLate ? SHARE_IF_LATE : SHARE_IF_TIMELY);
    this.update(nowMs);
    if (!isLate && this.#held.size === 0) this.#credit = undefined;
  }

  /** Lets go what may; to be called now and then. */
  update(nowMs: number): void {
    const newest = this.#flying.at(-1);
    if (newest && nowMs - newest.sentAtMs > LOST_AFTER_MS) this.#forget();
    for (const [key, state] of this.#held) {
      const isProbe = (this.#credit ?? 1) < 1;
      if (isProbe && nowMs - this.#sentAtMs < PROBE_PERIOD_MS) return;
      if (this.#credit !== undefined && !isProbe) this.#credit -= 1;
      this.#held.delete(key);
      this.#release(state, nowMs);
    }
  }

  /** Another link carries the states from now on; what waits goes over it. */
  moved(nowMs: number): void {
    this.#forget();
    this.#baseMs = undefined;
    this.update(nowMs);
  }

  #isLate(tookMs: number): boolean {
    return tookMs > (this.#baseMs ?? UNKNOWN_BASE_MS) + QUEUE_MS;
  }

  #forget(): void {
    this.#flying = [];
    this.#credit = undefined;
  }

  #release({ sequence, packet, key }: Held, nowMs: number): void {
    this.#sentAtMs = nowMs;
    this.#flying.push({ sequence, sentAtMs: nowMs });
    // Sequences come again after so many.
    if (this.#flying.length > SEQUENCE_MODULUS / 4) this.#flying.shift();
    this.#send(packet, key);
  }
}
