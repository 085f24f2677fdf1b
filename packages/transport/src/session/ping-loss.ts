/** So many pings are remembered; of fewer than the least nothing is said. */
const WINDOW = 64;
const LEAST = 10;
/** So many are recent. */
const RECENT = 12;
/** A ping unanswered for so long counts as lost, even where its answer should still come. */
const LOST_AFTER_MS = 2000;

interface Ping {
  readonly nonce: number;
  readonly sentAtMs: number;
  outcome: "open" | "answered" | "lost";
}

/** Share of round trips over a link that do not come back: the only loss of which both sides know the same. */
export class PingLoss {
  /** In the order of sending: a loss is known later than an answer, and is no newer for that. */
  #pings: Ping[] = [];

  /** 0 to 1. A single lost ping says nothing yet. */
  get ratio(): number {
    return ratioOf(this.#settled);
  }

  /** The same of the last few pings: whether a path is good now that was bad before. */
  get recentRatio(): number {
    return ratioOf(this.#settled.slice(-RECENT));
  }

  pinged(nonce: number, nowMs: number): void {
    for (const ping of this.#pings)
      if (ping.outcome === "open" && nowMs - ping.sentAtMs > LOST_AFTER_MS) ping.outcome = "lost";
    this.#pings.push({ nonce, sentAtMs: nowMs, outcome: "open" });
    if (this.#pings.length > WINDOW) this.#pings.shift();
  }

  answered(nonce: number): void {
    const ping = this.#pings.find((each) => each.nonce === nonce && each.outcome === "open");
    if (ping) ping.outcome = "answered";
  }

  /** Forgets what is not recent: it says nothing about the link as it is now. */
  forgetPast(): void {
    this.#pings = this.#pings.slice(-RECENT);
  }

  get #settled(): Ping[] {
    return this.#pings.filter(({ outcome }) => outcome !== "open");
  }
}

function ratioOf(settled: readonly Ping[]): number {
  const lost = settled.filter(({ outcome }) => outcome === "lost").length;
  return lost < 2 || settled.length < LEAST ? 0 : lost / settled.length;
}
