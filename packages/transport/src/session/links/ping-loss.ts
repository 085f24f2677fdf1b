/** So many pings are remembered; of fewer than the least nothing is said. */
const WINDOW = 64;
const LEAST = 10;
/** So many are recent. */
const RECENT = 12;
/** A ping unanswered for so long counts as lost, even where its answer should still come. */
const LOST_AFTER_MS = 2000;

const OPEN = 0;
const ANSWERED = 1;
const LOST = 2;

interface OpenPing {
  readonly nonce: number;
  readonly sentAtMs: number;
  /** The number of pings sent before it. */
  readonly at: number;
}

/** The pings over one link, and the share of them that do not come back: the only loss of which both sides know the same. */
export class PingLoss {
  /** A ring in the order of sending: a loss is known later than an answer, and is no newer for that. */
  readonly #outcomes = new Uint8Array(WINDOW);
  /** Pings without an answer yet. */
  readonly open: OpenPing[] = [];
  #sent = 0;
  /** The first ping that is remembered. */
  #first = 0;

  /** 0 to 1. A single lost ping says nothing yet. */
  get ratio(): number {
    return this.#ratioOf(WINDOW);
  }

  /** Loss of the last few pings: tells whether a path is good now that was bad before. */
  get recentRatio(): number {
    return this.#ratioOf(RECENT);
  }

  pinged(nonce: number, nowMs: number): void {
    for (const ping of this.open)
      if (nowMs - ping.sentAtMs > LOST_AFTER_MS) this.#outcomes[ping.at % WINDOW] = LOST;
    this.#outcomes[this.#sent % WINDOW] = OPEN;
    this.open.push({ nonce, sentAtMs: nowMs, at: this.#sent });
    this.#sent += 1;
    this.#first = Math.max(this.#first, this.#sent - WINDOW);
    // Its place in the ring is taken by another one soon.
    while (this.open[0]!.at < this.#first) this.open.shift();
  }

  /** When the ping was sent; undefined for an answer to no ping. One that comes too late is lost all the same. */
  answered(nonce: number): number | undefined {
    const ping = this.open.find((each) => each.nonce === nonce);
    if (!ping) return undefined;
    this.open.splice(this.open.indexOf(ping), 1);
    this.#outcomes[ping.at % WINDOW] ||= ANSWERED;
    return ping.sentAtMs;
  }

  /** Forgets what is not recent: it says nothing about the link as it is now. */
  forgetPast(): void {
    this.#first = Math.max(this.#first, this.#sent - RECENT);
  }

  /** Loss of the last pings with a known outcome, `most` at most. */
  #ratioOf(most: number): number {
    let settled = 0;
    let lost = 0;
    for (let at = this.#sent - 1; at >= this.#first && settled < most; at--) {
      const outcome = this.#outcomes[at % WINDOW];
      if (outcome !== OPEN) settled += 1;
      if (outcome === LOST) lost += 1;
    }
    return lost < 2 || settled < LEAST ? 0 : lost / settled;
  }
}
