import { CloseCode, isNewer, nextSequence, type IceServer } from "@paceline/protocol";
import {
  PathChoice,
  RoutedLoss,
  type Cancel,
  type Link,
  type LinkClose,
  type LinkRoute,
  type Scheduler,
  type SignalledLink,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { WebRtcLink } from "@paceline/transport/webrtc";

export interface DirectPathOptions {
  readonly scheduler: Scheduler;
  /** True for the side of a pair that makes the offers: the one that joined later. */
  readonly isInitiator: boolean;
  /** Makes links in an environment without its own WebRTC. Default: the browser's WebRTC. */
  readonly newLink?: WebRtcLinkMaker | undefined;
  /**
   * Returns a random number from 0 to 1, which spreads the attempts of clients that lost their links
   * together. Default: `Math.random`.
   */
  readonly random?: () => number;
  /**
   * Time after which a first attempt that is not open gets a second one beside it, ms. The first that opens
   * is used. A lost packet of a handshake is repeated only after one second, and then after two. Default:
   * never.
   */
  readonly hedgeAfterMs?: number;
  /** Lifetime of an event on a new link, ms. */
  eventLifetimeMs(): number;
  /** Returns the present ICE servers: passwords for TURN change. */
  iceServers(): readonly IceServer[];
  /** Sends signalling data to the peer. `attempt` distinguishes the attempts. */
  sendSignal(attempt: number, data: unknown): void;
  /** Attaches a new link to the session, which tests it before use or gives it up. */
  attach(link: Link, terms: LinkTerms): void;
}

export interface LinkTerms {
  /** Rank of the attempt. Later ones are preferred, so that a better path replaces a working one. */
  readonly rank: number;
  readonly deadlineMs: number;
  /** Measures the loss of routed packets. It comes with the code of WebRTC, which few players fetch. */
  readonly routed: RoutedLoss;
}

/**
 * Kinds of attempts. In the first, ICE tries all paths at once and prefers direct ones to TURN. If none opens
 * in time, the second uses TURN only, because a path may pass ICE's checks and nothing else.
 */
const rungs = {
  direct: { policy: "all", deadlineMs: 8000 },
  turn: { policy: "relay", deadlineMs: 6000 },
} as const;
type Rung = keyof typeof rungs;

/** Delays before a new attempt, ms, by the number of earlier failures. The last one repeats. */
const RETRY_DELAYS_MS = [1000, 3000, 10_000, 30_000];
/** Share by which delays vary at random, up and down. */
const JITTER = 0.25;
/** Lifetime after which a link counts as good, ms: the next attempt then comes soon. */
const GOOD_AFTER_MS = 15_000;
/** Time after which a direct path is tried beside one through TURN, ms. TURN works, but costs money. */
const UPGRADE_AFTER_MS = 120_000;
/** Limit of the peer's attempts that are answered. An honest peer begins three in ten seconds. */
const ANSWERS = { count: 6, windowMs: 10_000 } as const;

interface Attempt {
  readonly number: number;
  readonly rung: Rung;
  readonly link: SignalledLink;
  readonly eventLifetimeMs: number;
}

/**
 * Opens a direct link to one peer, and repeats failed attempts while direct links are allowed. Only
 * `lazy-direct-path.ts` imports this file, on demand, and with it all of WebRTC.
 */
export class DirectPath {
  readonly #options: DirectPathOptions;
  readonly #answeredAtMs: number[] = [];
  /** Comparison of the link with the relay. Starts again after direct links were not allowed. */
  choice = new PathChoice();
  #attempt: Attempt | undefined;
  /** The link in use during an attempt for a better one, or the older of two attempts. */
  #previous: Attempt | undefined;
  #number = 0;
  #rank = 0;
  #failures = 0;
  #startedAtMs = 0;
  #isAllowed = false;
  #cancelRetry: Cancel | undefined;
  #cancelUpgrade: Cancel | undefined;
  #cancelHedge: Cancel | undefined;
  /** Reason for the end of the last attempt or link; undefined if none has ended. */
  lastFailure: string | undefined;

  constructor(options: DirectPathOptions) {
    this.#options = options;
  }

  /**
   * Delivery of packets on the link in use, and its difference from the plan in words: a channel keeps the
   * event lifetime with which it was opened.
   */
  get route(): (Partial<LinkRoute> & { readonly note: string }) | undefined {
    const attempt = this.#previous ?? this.#attempt;
    if (!attempt) return undefined;
    const { link, eventLifetimeMs } = attempt;
    const isKept = eventLifetimeMs !== this.#options.eventLifetimeMs();
    const note = `; it repeats what it has taken of events for ${eventLifetimeMs} ms, as it was opened`;
    return { ...link.route, note: isKept ? note : "" };
  }

  /** Allows or forbids direct links. Both sides must have WebRTC, and the plan must want it. */
  allow(isAllowed: boolean): void {
    if (isAllowed === this.#isAllowed) return;
    this.#isAllowed = isAllowed;
    this.#failures = 0;
    if (isAllowed && this.#options.isInitiator) this.#start("direct");
    if (isAllowed) return;
    this.choice = new PathChoice();
    this.end("not wanted any more");
  }

  /** Handles a signal of the peer. Ignores signals of earlier attempts. */
  signal(number: number, data: unknown): void {
    if (!this.#isAllowed) return;
    const isAnswering = !this.#options.isInitiator;
    if (isAnswering && number !== this.#number) {
      if ((this.#number !== 0 && !isNewer(number, this.#number)) || !this.#mayAnswer()) return;
      this.#number = number;
      this.#open("direct");
    }
    const attempt = number === this.#previous?.number ? this.#previous : this.#attempt;
    if (number !== attempt?.number) return;
    if (attempt === this.#attempt || attempt.link.state === "connecting") attempt.link.signal(data);
  }

  linkActive(link: Link): void {
    // The older of two attempts has opened first.
    if (link === this.#previous?.link) [this.#attempt, this.#previous] = [this.#previous, this.#attempt];
    if (link !== this.#attempt?.link) return;
    this.#cancelHedge?.();
    this.#previous?.link.close(CloseCode.replaced, "another path took over");
    this.#previous = undefined;
    this.#upgradeLater();
  }

  linkDown(link: Link, close: LinkClose): void {
    if (link === this.#previous?.link) this.#previous = undefined;
    if (link !== this.#attempt?.link) return;
    const { rung } = this.#attempt;
    const hint = this.#attempt.link.hint;
    this.#attempt = this.#previous;
    this.#previous = undefined;
    this.lastFailure = `${close.reason || `closed with code ${close.code}`}${hint ? ` (${hint})` : ""}`;
    if (this.#options.scheduler.nowMs() - this.#startedAtMs > GOOD_AFTER_MS) this.#failures = 0;
    if (!this.#isAllowed || !this.#options.isInitiator) return;
    if (this.#attempt) this.#upgradeLater();
    else if (rung === "direct" && link.counters.packetsReceived === 0 && this.#hasTurn()) this.#start("turn");
    else this.#retryLater();
  }

  /**
   * Tries again on another network: failed attempts may succeed, and a path through TURN may become direct.
   */
  networkChanged(): void {
    if (!this.#isAllowed || !this.#options.isInitiator) return;
    this.#failures = 0;
    const isTrying = this.#attempt !== undefined && this.#attempt.link.state === "connecting";
    const isBest = this.#attempt?.link.state === "open" && this.#attempt.link.route?.isTurn === false;
    if (!isTrying && !isBest) this.#start("direct");
  }

  /** Closes the links. Makes no attempts until they are allowed again. */
  end(reason: string): void {
    this.#isAllowed = false;
    this.#cancelTimers();
    for (const attempt of [this.#previous, this.#attempt]) attempt?.link.close(CloseCode.left, reason);
  }

  /** Breaks the links without notice, as a network does. For tests. */
  kill(): void {
    for (const attempt of [this.#previous, this.#attempt])
      attempt?.link.close(CloseCode.timeout, "killed on purpose");
  }

  #start(rung: Rung, isHedge = false): void {
    this.#cancelTimers();
    this.#number = nextSequence(this.#number) || 1;
    this.#open(rung, isHedge);
    const { hedgeAfterMs } = this.#options;
    if (hedgeAfterMs === undefined || this.#previous || this.#failures > 0) return;
    this.#cancelHedge = this.#options.scheduler.after(hedgeAfterMs, () => {
      if (this.#attempt?.link.state === "connecting") this.#start("direct", true);
    });
  }

  #open(rung: Rung, isHedge = false): void {
    const number = this.#number;
    const { policy, deadlineMs } = rungs[rung];
    this.#startedAtMs = this.#options.scheduler.nowMs();
    const eventLifetimeMs = this.#options.eventLifetimeMs();
    const options = {
      scheduler: this.#options.scheduler,
      isInitiator: this.#options.isInitiator,
      iceServers: this.#options.iceServers(),
      iceTransportPolicy: policy,
      eventLifetimeMs,
      onSignal: (data: unknown) => this.#options.sendSignal(number, data),
    };
    const link = this.#options.newLink?.(options) ?? new WebRtcLink(options);
    // The link in use stays until the new one opens. A link that never opened is closed.
    if (isHedge || this.#attempt?.link.state === "open") {
      this.#previous?.link.close(CloseCode.replaced, "a newer attempt began");
      this.#previous = this.#attempt;
    } else this.#attempt?.link.close(CloseCode.replaced, "a newer attempt began");
    this.#attempt = { number, rung, link, eventLifetimeMs };
    this.#rank += 1;
    this.#options.attach(link, { rank: this.#rank, deadlineMs, routed: new RoutedLoss() });
  }

  #mayAnswer(): boolean {
    const nowMs = this.#options.scheduler.nowMs();
    while (nowMs - (this.#answeredAtMs[0] ?? nowMs) > ANSWERS.windowMs) this.#answeredAtMs.shift();
    if (this.#answeredAtMs.length >= ANSWERS.count) return false;
    this.#answeredAtMs.push(nowMs);
    return true;
  }

  #hasTurn(): boolean {
    return this.#options.iceServers().some(({ urls }) => urls.startsWith("turn"));
  }

  #retryLater(): void {
    const delayMs = RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)]!;
    this.#failures += 1;
    this.#cancelRetry ??= this.#retryDirectAfter(delayMs);
  }

  #upgradeLater(): void {
    this.#cancelUpgrade?.();
    this.#cancelUpgrade = undefined;
    if (!this.#options.isInitiator || !this.#attempt?.link.route?.isTurn) return;
    this.#cancelUpgrade = this.#retryDirectAfter(UPGRADE_AFTER_MS);
  }

  #retryDirectAfter(delayMs: number): Cancel {
    const chance = (this.#options.random ?? Math.random)();
    const variedMs = delayMs * (1 - JITTER + 2 * JITTER * chance);
    return this.#options.scheduler.after(variedMs, () => this.#start("direct"));
  }

  #cancelTimers(): void {
    this.#cancelRetry?.();
    this.#cancelUpgrade?.();
    this.#cancelHedge?.();
    this.#cancelRetry = undefined;
    this.#cancelUpgrade = undefined;
  }
}
