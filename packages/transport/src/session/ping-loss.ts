/** So many pings are remembered; of fewer than the least nothing is said. */
const WINDOW = 64;
const LEAST = 10;
/** A ping unanswered for so long counts as lost, even where its answer should still come. */
const LOST_AFTER_MS = 2000;

/** Share of round trips over a link that do not come back: the only loss of which both sides know the same. */
export class PingLoss {
  readonly #outcomes: boolean[] = [];
  readonly #open = new Map<number, number>();

  /** 0 to 1. A single lost ping says nothing yet. */
  get ratio(): number {
    const lost = this.#outcomes.filter((isLost) => isLost).length;
    return lost < 2 || this.#outcomes.length < LEAST ? 0 : lost / this.#outcomes.length;
  }

  pinged(nonce: number, nowMs: number): void {
    for (const [open, sentAtMs] of this.#open) {
      if (nowMs - sentAtMs > LOST_AFTER_MS) this.#settle(open, true);
    }
    this.#open.set(nonce, nowMs);
  }

  answered(nonce: number): void {
    if (this.#open.has(nonce)) this.#settle(nonce, false);
  }

  #settle(nonce: number, isLost: boolean): void {
    this.#open.delete(nonce);
    this.#outcomes.push(isLost);
    if (this.#outcomes.length > WINDOW) this.#outcomes.shift();
  }
}
