/** Number of remembered pings, and fewest with a known outcome for a loss above 0. */
const WINDOW = 64;
const LEAST = 10;
/** Pings in `recentRatio`. */
const RECENT = 12;
/** Time after which an unanswered ping counts as lost, even if its answer still arrives, ms. */
const LOST_AFTER_MS = 2000;

const OPEN = 0;
const ANSWERED = 1;
const LOST = 2;

interface OpenPing {
  readonly nonce: number;
  readonly sentAtMs: number;
  /** Number of pings sent before it. */
  readonly at: number;
}

/**
 * Loss of pings over one link: the share without an answer. It is the only loss that both sides see alike.
 */
export class PingLoss {
  /** A ring in the order of sending, because a loss is known later than an answer to a later ping. */
  readonly #outcomes = new Uint8Array(WINDOW);
  readonly open: OpenPing[] = [];
  #sent = 0;
  /** Index of the first remembered ping. */
  #first = 0;

  /** Share of lost pings, 0 to 1. It is 0 for a single lost ping. */
  get ratio(): number {
    return this.#ratioOf(WINDOW);
  }

  /** Loss of the last few pings. It shows if a path that was bad is good again. */
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
    // A later ping needs its place in the ring.
    while (this.open[0]!.at < this.#first) this.open.shift();
  }

  /** Returns when the ping was sent, or undefined for an unknown one. A ping answered too late stays lost. */
  answered(nonce: number): number | undefined {
    const ping = this.open.find((each) => each.nonce === nonce);
    if (!ping) return undefined;
    this.open.splice(this.open.indexOf(ping), 1);
    this.#outcomes[ping.at % WINDOW] ||= ANSWERED;
    return ping.sentAtMs;
  }

  /** Forgets older pings, which do not show the present link. */
  forgetOldPings(): void {
    this.#first = Math.max(this.#first, this.#sent - RECENT);
  }

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
