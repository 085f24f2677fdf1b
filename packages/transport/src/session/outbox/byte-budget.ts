import type { Cancel, Scheduler } from "../../scheduler.js";

/** Share of a second's bytes that may leave at once after a pause. The others are spread over the second. */
const UPLINK_BURST_SHARE = 0.1;
/** Shortest wait of a timer, ms. */
const MIN_WAIT_MS = 1;

/**
 * A rate that several sessions share: at most its bytes and one packet in any second. If they want more, all
 * get equal bytes. The session that has sent the fewest since it began to wait sends next, so that small
 * packets do not wait for as many large ones.
 */
export class ByteBudget {
  readonly #scheduler: Scheduler;
  readonly #bytesPerSecond: () => number;
  readonly #burstShare: number;
  readonly #waiting = new Set<() => void>();
  /**
   * Bytes that each sender has sent. For a sender that had nothing to send, the bytes of the others meanwhile
   * count too.
   */
  readonly #sent = new WeakMap<() => void, number>();
  /** Sent bytes of the sender that had the last turn. */
  #level = 0;
  /** Bytes that may leave at once. Below 0 nothing may leave. It begins with as many as after a pause. */
  #bytes = Infinity;
  #atMs: number;
  #turn: (() => void) | undefined;
  #cancel: Cancel | undefined;

  /**
   * @param bytesPerSecond called at every packet, because it may change
   * @param burstShare share of a second's bytes that may leave at once after a pause
   */
  constructor(scheduler: Scheduler, bytesPerSecond: () => number, burstShare = UPLINK_BURST_SHARE) {
    this.#scheduler = scheduler;
    this.#bytesPerSecond = bytesPerSecond;
    this.#burstShare = burstShare;
    this.#atMs = scheduler.nowMs();
  }

  /** Returns true if a packet may leave now. */
  isOpen(): boolean {
    if (this.#bytes < 0) this.#refill();
    return this.#bytes >= 0 && this.#waiting.size === 0;
  }

  /** Returns true if the owner of `onTurn` may send a packet now. Otherwise calls `onTurn` when it may. */
  admits(onTurn: () => void): boolean {
    if (this.#turn === onTurn && this.#bytes >= 0 && this.#isNext(onTurn)) return true;
    if (this.isOpen()) return true;
    this.#waiting.add(onTurn);
    this.#wait();
    return false;
  }

  /** Takes note of bytes that the owner of `onTurn` has sent. Default: the sender that has the turn. */
  countSent(bytes: number, onTurn = this.#turn): void {
    this.#refill();
    this.#bytes -= bytes;
    if (!onTurn) return;
    const sent = this.#sentBy(onTurn) + bytes;
    this.#sent.set(onTurn, sent);
    if (this.#waiting.size === 0) this.#level = sent;
  }

  /** Removes a sender that waits for its turn. */
  cancel(onTurn: () => void): void {
    this.#waiting.delete(onTurn);
    if (this.#waiting.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #sentBy(onTurn: () => void): number {
    return Math.max(this.#level, this.#sent.get(onTurn) ?? 0);
  }

  /** Returns true if no waiting sender has sent less. */
  #isNext(onTurn: () => void): boolean {
    for (const other of this.#waiting) if (this.#sentBy(other) < this.#sentBy(onTurn)) return false;
    return true;
  }

  get #bytesPerMs(): number {
    return ((1 - this.#burstShare) * this.#bytesPerSecond()) / 1000;
  }

  #refill(): void {
    const nowMs = this.#scheduler.nowMs();
    const most = this.#burstShare * this.#bytesPerSecond();
    // A machine's clock may be set back.
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#bytes = Math.min(most, this.#bytes + passedMs * this.#bytesPerMs);
    this.#atMs = nowMs;
  }

  #wait(): void {
    if (this.#cancel) return;
    const waitMs = Math.max(MIN_WAIT_MS, -this.#bytes / this.#bytesPerMs);
    this.#cancel = this.#scheduler.after(waitMs, () => this.#serve());
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
