import {
  StallMeter,
  type Cancel,
  type Link,
  type PongTimes,
  type Scheduler,
  type Session,
  type StallReading,
  type StripedLink,
} from "@paceline/transport";

/** The number of WebSockets for states: automatic, or fixed. */
export type SocketCount = "auto" | 1 | 2 | 3;

/** The number of sockets that a session should have, and the reason in words. */
export interface StripeWish {
  readonly sockets: 1 | 2 | 3;
  readonly reason: string;
}

interface StripesOptions {
  readonly scheduler: Scheduler;
  /** Asks the server for a ticket for one more socket. */
  ask(): void;
  /** Opens a socket with a ticket. */
  open(ticket: string): Link;
  /** Measures a round trip now. */
  ping(): void;
  /** Whether another link carries the states: what happens on the sockets matters to none then. */
  isIdle(): boolean;
  /** Pings that the first socket has not answered. */
  unanswered(): Session["unanswered"];
  onChange(sockets: number, reason: string): void;
  /** Round trips wait behind lost segments: to measure once a second is too slow now. */
  onStalls(): void;
}

/** Pings that are so far apart and wait for one lost segment are answered in one moment: that tells it from a queue. */
const REVIEW_PERIOD_MS = 100;
const MAX_OPEN_PINGS = 8;
/** The server answers at once or not at all. */
const ASK_AGAIN_MS = 3000;

/** Opens and closes the sockets that states alternate over, as many as the plan wants; measures what it goes by. */
export class Stripes {
  readonly #options: StripesOptions;
  readonly #stalls = new StallMeter();
  readonly #stop: Cancel;
  #link: StripedLink | undefined;
  #forced: SocketCount = "auto";
  #planned: StripeWish = { sockets: 1, reason: "no stalls" };
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** When the socket had no room: pings that were sent before waited for this side. */
  #fullAtMs = Number.NEGATIVE_INFINITY;
  #told = 1;
  #isStalling = false;

  constructor(options: StripesOptions) {
    this.#options = options;
    this.#stop = options.scheduler.every(REVIEW_PERIOD_MS, () => this.#review());
  }

  /** The sockets that states alternate over now, and why there are so many. */
  get present(): { readonly sockets: number; readonly reason: string } {
    return { sockets: this.#link?.width ?? 0, reason: this.#wish.reason };
  }

  /** The link that carries the session now. */
  use(link: StripedLink | undefined): void {
    if (link === this.#link) return;
    this.#link?.narrow("another link carries the session");
    this.#link = link;
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
    link?.onStripes(() => this.#tell());
  }

  /** Wants so many sockets from now on, whatever is measured; "auto": as measured. */
  force(sockets: SocketCount): void {
    this.#forced = sockets;
    this.#review();
  }

  /** The plan wants so many, unless the game has asked for a number. */
  plan(wish: StripeWish): void {
    this.#planned = wish;
    this.#review();
  }

  /** Share of the round trips over the first socket that waited behind lost segments, 0 to 1; undefined: too few were made. */
  get stallRatio(): number | undefined {
    return this.#stalls.ratio;
  }

  /** Number of recent round trips over the first socket that were delayed. */
  get stalls(): StallReading {
    return this.#stalls.reading;
  }

  /** A round trip over the first socket. */
  observe(times: PongTimes): void {
    if (times.sentMs > this.#fullAtMs) this.#stalls.observe(times);
  }

  /** The server gave a ticket. */
  offered(ticket: string): void {
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
    if (this.#link && this.#link.stripeCount + 1 < this.#wish.sockets)
      this.#link.add(this.#options.open(ticket));
  }

  end(): void {
    this.#stop();
    this.use(undefined);
  }

  get #wish(): StripeWish {
    if (this.#forced === "auto") return this.#planned;
    return { sockets: this.#forced, reason: "the game asks for so many" };
  }

  #review(): void {
    const link = this.#link;
    if (link?.state !== "open") return;
    const nowMs = this.#options.scheduler.nowMs();
    if (!link.hasRoom("state")) this.#fullAtMs = nowMs;
    const { pingsSentMs, silentMs, acknowledgedAtMs } = this.#options.unanswered();
    const probesSentMs = pingsSentMs.filter((sentMs) => sentMs > this.#fullAtMs);
    this.#stalls.observeOpen(probesSentMs, silentMs, nowMs, acknowledgedAtMs);
    this.#noteStalls();
    const { sockets, reason } = this.#wish;
    // Five heartbeats in five seconds would be too few to tell how many stall. More pings in a queue only make it longer.
    const isFree = link.queuedBytes === 0 && !this.#options.isIdle() && pingsSentMs.length < MAX_OPEN_PINGS;
    if (isFree && this.#forced === "auto" && (sockets > 1 || this.#stalls.isSuspicious)) this.#options.ping();
    if (sockets === 1 && link.stripeCount > 0) return link.narrow(reason);
    if (link.stripeCount + 1 >= sockets || nowMs - this.#askedAtMs < ASK_AGAIN_MS) return;
    this.#askedAtMs = nowMs;
    this.#options.ask();
  }

  #noteStalls(): void {
    const wasStalling = this.#isStalling;
    this.#isStalling = (this.stallRatio ?? 0) > 0;
    if (this.#isStalling && !wasStalling) this.#options.onStalls();
  }

  #tell(): void {
    const { sockets, reason } = this.present;
    if (sockets === this.#told) return;
    this.#told = sockets;
    this.#options.onChange(sockets, reason);
  }
}
