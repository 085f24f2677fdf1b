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
/** Where acknowledgements stay away from an ordered link, it stands still; one state goes out so often all the same. */
const PROBE_PERIOD_MS = 250;
/** Where they stay away so long from one that loses packets, what was on its way is taken for lost. */
const LOST_AFTER_MS = 400;

/**
 * Holds states back while the path cannot take more. What a kernel's socket or an SCTP association has accepted can be
 * neither seen nor replaced, and it may be seconds' worth; so states wait here, where a newer one takes their place,
 * while the oldest one that is on its way has been so for much longer than the path needs. Pure: time comes in.
 */
export class StateGate {
  readonly #send: (packet: Uint8Array, key: number) => void;
  /** By key, those that have waited longest first. */
  readonly #held = new Map<number, Held>();
  #flying: Flying[] = [];
  #baseMs = UNKNOWN_BASE_MS;
  #isBaseKnown = false;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #mayLose = false;
  #replaced = 0;

  constructor(send: (packet: Uint8Array, key: number) => void) {
    this.#send = send;
  }

  /** States that a newer one replaced here. */
  get replaced(): number {
    return this.#replaced;
  }

  /** A state that wants to go; with key 0 it replaces none and does not wait. */
  take(state: Held, nowMs: number): void {
    if (state.key > 0 && (this.#held.size > 0 || this.#isShut(nowMs))) {
      if (this.#held.has(state.key)) this.#replaced += 1;
      this.#held.set(state.key, state);
    } else this.#release(state, nowMs);
  }

  /** The state has arrived: those before it have, too, or never will. */
  acknowledged(sequence: number, nowMs: number): void {
    const index = this.#flying.findIndex((flying) => flying.sequence === sequence);
    if (index < 0) return;
    const tookMs = nowMs - this.#flying[index]!.sentAtMs;
    this.#baseMs = this.#isBaseKnown ? Math.min(this.#baseMs, tookMs) : tookMs;
    this.#isBaseKnown = true;
    this.#flying.splice(0, index + 1);
  }

  /** Lets go what may; to be called after acknowledgements, and now and then. */
  update(nowMs: number): void {
    const newest = this.#flying.at(-1);
    if (this.#mayLose && newest && nowMs - newest.sentAtMs > LOST_AFTER_MS) this.#flying = [];
    for (const [key, state] of this.#held) {
      const isProbeDue = !this.#mayLose && nowMs - this.#sentAtMs >= PROBE_PERIOD_MS;
      if (this.#isShut(nowMs) && !isProbeDue) return;
      this.#held.delete(key);
      this.#release(state, nowMs);
    }
  }

  /** Another link carries the states from now on; what waits goes over it. */
  moved(nowMs: number, mayLose: boolean): void {
    this.#mayLose = mayLose;
    this.#flying = [];
    this.#baseMs = UNKNOWN_BASE_MS;
    this.#isBaseKnown = false;
    this.update(nowMs);
  }

  #isShut(nowMs: number): boolean {
    const oldest = this.#flying[0];
    return oldest !== undefined && nowMs - oldest.sentAtMs > this.#baseMs + QUEUE_MS;
  }

  #release({ sequence, packet, key }: Held, nowMs: number): void {
    this.#sentAtMs = nowMs;
    this.#flying.push({ sequence, sentAtMs: nowMs });
    // Sequences come again after so many.
    if (this.#flying.length > SEQUENCE_MODULUS / 4) this.#flying.shift();
    this.#send(packet, key);
  }
}
