import {
  StallMeter,
  type Cancel,
  type Link,
  type PathLink,
  type PongTimes,
  type Scheduler,
  type Session,
  type StallReading,
  type StripeFilter,
} from "@paceline/transport";

/** Fetches the code that spreads states over several sockets: few players ever need it. */
export type LoadStripes = () => Promise<{ readonly StripeFilter: typeof StripeFilter }>;

/** Number of WebSockets for states: automatic, or fixed. */
export type SocketCount = "auto" | 1 | 2 | 3;

/** Wanted number of sockets of a session, and the reason in words. */
export interface StripeWish {
  readonly sockets: 1 | 2 | 3;
  readonly reason: string;
  /** Returns true if states go over the sockets. Otherwise one socket suffices. */
  isUsed(this: void): boolean;
}

interface StripesOptions {
  readonly scheduler: Scheduler;
  readonly loadStripes: LoadStripes;
  /** Requests a ticket for one more socket from the server. */
  ask(): void;
  open(ticket: string): Link;
  session(): Pick<Session, "linkFor" | "activeLink" | "unanswered" | "ping">;
  onChange(sockets: number, reason: string): void;
  /**
   * Called when round trips begin to wait behind lost segments: one measurement a second is then too slow.
   */
  onStalls(): void;
}

/**
 * Time between probes, ms. Probes this far apart that wait for one lost segment are answered together, unlike
 * those in a queue.
 */
const REVIEW_PERIOD_MS = 100;
/** A review may share the wake-up of another timer that is this early or late, ms. */
const REVIEW_SLACK_MS = 10;
/** A review that is later than this was held up by other code, ms. */
const BUSY_MS = 35;
const MAX_OPEN_PINGS = 8;
/** Time before a request is repeated, ms. The server answers at once or not at all. */
const REQUEST_PERIOD_MS = 3000;

/** Opens and closes the sockets over which states alternate, as the plan wants, and measures their stalls. */
export class Stripes {
  readonly #options: StripesOptions;
  readonly #stalls = new StallMeter();
  readonly #stop: Cancel;
  /** The first socket, and its filter once there was a second one. */
  #link: PathLink | undefined;
  #filter: StripeFilter | undefined;
  #code: Awaited<ReturnType<LoadStripes>> | undefined;
  #isFetching = false;
  #forced: SocketCount = "auto";
  #planned: StripeWish = { sockets: 1, reason: "no stalls", isUsed: () => true };
  #requestedAtMs = -Infinity;
  /**
   * Time when the socket was last full, or this side was last too busy to review. Earlier pings waited on this
   * side, and do not show a stall.
   */
  #waitedAtMs = -Infinity;
  #reviewedAtMs = Infinity;
  #reportedSockets = 1;
  #isStalling = false;

  constructor(options: StripesOptions) {
    this.#options = options;
    this.#stop = options.scheduler.every(REVIEW_PERIOD_MS, () => this.#review(), REVIEW_SLACK_MS);
  }

  /** Present number of sockets over which states alternate, and the reason. */
  get present(): { readonly sockets: number; readonly reason: string } {
    return { sockets: this.#link?.width ?? 0, reason: this.#wish.reason };
  }

  use(link: PathLink | undefined): void {
    if (link === this.#link) return;
    this.#filter?.closeStripes("another link carries the session");
    this.#filter = undefined;
    this.#link = link;
    this.#stalls.begin();
    this.#requestedAtMs = -Infinity;
  }

  /** Fixes the number of sockets. `"auto"` follows the plan. */
  force(sockets: SocketCount): void {
    this.#forced = sockets;
    this.#review();
  }

  /** Sets the plan's number of sockets. It applies unless the game has fixed one. */
  plan(wish: StripeWish): void {
    this.#planned = wish;
    this.#review();
  }

  /**
   * Share of the round trips over the first socket that waited behind lost segments, 0 to 1. Undefined after
   * too few round trips.
   */
  get stallRatio(): number | undefined {
    return this.#stalls.ratio;
  }

  /** Number of recent round trips over the first socket that were delayed. */
  get stalls(): StallReading {
    return this.#stalls.reading;
  }

  /** Records a round trip over the first socket. */
  observe(times: PongTimes): void {
    this.#noteBusy(times.receivedMs);
    if (times.sentMs > this.#waitedAtMs) this.#stalls.observe(times);
  }

  /** Opens a socket with the server's ticket, if one more is still wanted. */
  receiveTicket(ticket: string): void {
    this.#requestedAtMs = -Infinity;
    const first = this.#link;
    const code = this.#code;
    if (!first || !code || this.#count >= this.#wish.sockets) return;
    const { scheduler } = this.#options;
    this.#filter ??= new code.StripeFilter({ scheduler, first, onStripes: () => this.#reportSockets() });
    this.#filter.add(this.#options.open(ticket));
  }

  /** Number of sockets, also of those that are not open yet. */
  get #count(): number {
    return 1 + (this.#filter?.count ?? 0);
  }

  end(): void {
    this.#stop();
    this.use(undefined);
  }

  get #wish(): Omit<StripeWish, "isUsed"> {
    if (this.#forced !== "auto") return { sockets: this.#forced, reason: "the game asks for so many" };
    return this.#planned.isUsed() ? this.#planned : { sockets: 1, reason: "they carry no states" };
  }

  #noteBusy(nowMs: number): void {
    if (nowMs - this.#reviewedAtMs > REVIEW_PERIOD_MS + BUSY_MS) this.#waitedAtMs = nowMs;
  }

  #review(): void {
    const nowMs = this.#options.scheduler.nowMs();
    this.#noteBusy(nowMs);
    this.#reviewedAtMs = nowMs;
    const link = this.#link;
    if (link?.state !== "open") return;
    if (!link.hasRoom("state")) this.#waitedAtMs = nowMs;
    const session = this.#options.session();
    const { pingsSentMs, silentMs, acknowledgedAtMs } = session.unanswered;
    const probesSentMs = pingsSentMs.filter((sentMs) => sentMs > this.#waitedAtMs);
    this.#stalls.observeOpen(probesSentMs, silentMs, nowMs, acknowledgedAtMs);
    this.#noteStalls();
    const { sockets, reason } = this.#wish;
    if (sockets > 1 || this.#stalls.isSuspicious) this.#expectMore(link, pingsSentMs.length);
    if (sockets === 1 && this.#count > 1) return this.#filter?.closeStripes(reason);
    if (this.#count >= sockets || !this.#code || nowMs - this.#requestedAtMs < REQUEST_PERIOD_MS) return;
    this.#requestedAtMs = nowMs;
    this.#options.ask();
  }

  /** Measures more often, and fetches the code of the filter: the plan may soon want another socket. */
  #expectMore(link: PathLink, openPings: number): void {
    const { scheduler, loadStripes } = this.#options;
    const session = this.#options.session();
    // If another link carries the states, stalls of the sockets do not matter.
    const isUsed = session.linkFor("state") === session.activeLink;
    const isFree = link.queuedBytes === 0 && isUsed && openPings < MAX_OPEN_PINGS;
    // The heartbeat alone, once a second, measures too few round trips. More pings in a queue only lengthen
    // it.
    if (isFree && this.#forced === "auto") session.ping();
    if (this.#code || this.#isFetching) return;
    this.#isFetching = true;
    loadStripes().then(
      (code) => (this.#code = code),
      () => scheduler.after(REQUEST_PERIOD_MS, () => (this.#isFetching = false)),
    );
  }

  #noteStalls(): void {
    const wasStalling = this.#isStalling;
    this.#isStalling = (this.stallRatio ?? 0) > 0;
    if (this.#isStalling && !wasStalling) this.#options.onStalls();
  }

  #reportSockets(): void {
    const { sockets, reason } = this.present;
    if (sockets === this.#reportedSockets) return;
    this.#reportedSockets = sockets;
    this.#options.onChange(sockets, reason);
  }
}
