/** So many pings are remembered; of fewer than the least nothing is said. */
const WINDOW = 64;
const LEAST = 10;
/** So many are recent. */
const RECENT = 12;
/** A ping unanswered for so long counts as lost, even where its answer should still come. */
const LOST_AFTER_MS = 2000;

const [OPEN, ANSWERED, LOST] = [0, 1, 2];

interface OpenPing {
  readonly nonce: number;
  readonly sentAtMs: number;
  /** How many were sent before it. */
  readonly at: number;
}

/** Share of round trips over a link that do not come back: the only loss of which both sides know the same. */
export class PingLoss {
  /** A ring in the order of sending: a loss is known later than an answer, and is no newer for that. */
  readonly #outcomes = new Uint8Array(WINDOW);
  #open: OpenPing[] = [];
  #sent = 0;
  /** The first ping that is remembered. */
  #first = 0;

  /** 0 to 1. A single lost ping says nothing yet. */
  get ratio(): number {
    return this.#ratioOf(WINDOW);
  }

  /** The same of the last few pings: whether a path is good now that was bad before. */
  get recentRatio(): number {
    return this.#ratioOf(RECENT);
  }

  pinged(nonce: number, nowMs: number): void {
    for (const { sentAtMs, at } of this.#open) if (nowMs - sentAtMs > LOST_AFTER_MS) this.#settle(at, LOST);
    this.#outcomes[this.#sent % WINDOW] = OPEN;
    this.#open.push({ nonce, sentAtMs: nowMs, at: this.#sent });
    this.#sent += 1;
    this.#forgetBefore(this.#sent - WINDOW);
  }

  answered(nonce: number): void {
    const ping = this.#open.find((each) => each.nonce === nonce);
    if (ping) this.#settle(ping.at, ANSWERED);
  }

  /** Forgets what is not recent: it says nothing about the link as it is now. */
  forgetPast(): void {
    this.#forgetBefore(this.#sent - RECENT);
  }

  #settle(at: number, outcome: number): void {
    this.#outcomes[at % WINDOW] = outcome;
    this.#open = this.#open.filter((ping) => ping.at !== at);
  }

  #forgetBefore(first: number): void {
    if (first <= this.#first) return;
    this.#first = first;
    if ((this.#open[0]?.at ?? first) < first) this.#open = this.#open.filter(({ at }) => at >= first);
  }

  /** Of the last pings whose outcome is known, so many at most. */
  #ratioOf(most: number): number {
    let [settled, lost] = [0, 0];
    for (let at = this.#sent - 1; at >= this.#first && settled < most; at--) {
      const outcome = this.#outcomes[at % WINDOW];
      if (outcome === OPEN) continue;
      settled += 1;
      if (outcome === LOST) lost += 1;
    }
    return lost < 2 || settled < LEAST ? 0 : lost / settled;
  }
}
