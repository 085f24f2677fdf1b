import type { Cancel, Scheduler } from "../../scheduler.js";

/** Part of a second's bytes that may go at once after a pause; the others are spread over the second. */
const BURST_SHARE = 0.1;
/** Waiting shorter than this is not worth a timer. */
const MIN_WAIT_MS = 1;

/**
 * The rate that several sessions share: in any second no more than its bytes and one packet. While they want more, all
 * get equal bytes: the session that has sent the fewest since it began to wait sends next, so small packets do not wait
 * for as many large ones.
 */
export class ByteBudget {
  readonly #scheduler: Scheduler;
  readonly #bytesPerSecond: () => number;
  /** Senders that wait for their turn. */
  readonly #waiting = new Set<() => void>();
  /** Bytes that each has sent; of one that had nothing to send, what the others had sent meanwhile counts as well. */
  readonly #sent = new WeakMap<() => void, number>();
  /** Level of the sender whose turn was last. */
  #level = 0;
  /** Bytes that may go at once; below 0 nothing may go. At first as many as after a pause. */
  #bytes = Infinity;
  #atMs: number;
  #turn: (() => void) | undefined;
  #cancel: Cancel | undefined;

  /** @param bytesPerSecond asked whenever something is sent: it may change */
  constructor(scheduler: Scheduler, bytesPerSecond: () => number) {
    this.#scheduler = scheduler;
    this.#bytesPerSecond = bytesPerSecond;
    this.#atMs = scheduler.nowMs();
  }

  /** Whether a packet may go now. */
  isOpen(): boolean {
    this.#refill();
    return this.#bytes >= 0 && this.#waiting.size === 0;
  }

  /** Whether the owner of `onTurn` may send a packet now; if not, that is called when it may. */
  admits(onTurn: () => void): boolean {
    if (this.#turn === onTurn && this.#bytes >= 0 && this.#isNext(onTurn)) return true;
    if (this.isOpen()) return true;
    this.#waiting.add(onTurn);
    this.#wait();
    return false;
  }

  /** So many bytes have been sent, by the owner of `onTurn`: the one whose turn it is. */
  spent(bytes: number, onTurn = this.#turn): void {
    this.#refill();
    this.#bytes -= bytes;
    if (!onTurn) return;
    const sent = this.#sentBy(onTurn) + bytes;
    this.#sent.set(onTurn, sent);
    if (this.#waiting.size === 0) this.#level = sent;
  }

  /** Waits for no turn any more. */
  leave(onTurn: () => void): void {
    this.#waiting.delete(onTurn);
    if (this.#waiting.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #sentBy(onTurn: () => void): number {
    return Math.max(this.#level, this.#sent.get(onTurn) ?? 0);
  }

  /** Whether none that waits has sent less. */
  #isNext(onTurn: () => void): boolean {
    for (const other of this.#waiting) if (this.#sentBy(other) < this.#sentBy(onTurn)) return false;
    return true;
  }

  #refill(): void {
    const nowMs = this.#scheduler.nowMs();
    const most = BURST_SHARE * this.#bytesPerSecond();
    const perMs = ((1 - BURST_SHARE) * this.#bytesPerSecond()) / 1000;
    // A machine's clock may be set back.
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#bytes = Math.min(most, this.#bytes + passedMs * perMs);
    this.#atMs = nowMs;
  }

  #wait(): void {
    if (this.#cancel) return;
    const perMs = ((1 - BURST_SHARE) * this.#bytesPerSecond()) / 1000;
    this.#cancel = this.#scheduler.after(Math.max(MIN_WAIT_MS, -this.#bytes / perMs), () => this.#serve());
  }

  #serve(): void {
    this.#cancel = undefined;
    this.#refill();
    while (this.#bytes >= 0) {
      const onTurn = [...this.#waiting].find((one) => this.#isNext(one));
      if (!onTurn) break;
      this.#waiting.delete(onTurn);
      this.#level = this.#sentBy(onTurn);
      this.#turn = onTurn;
      try {
        onTurn();
      } finally {
        this.#turn = undefined;
      }
    }
    if (this.#waiting.size > 0) this.#wait();
  }
}
