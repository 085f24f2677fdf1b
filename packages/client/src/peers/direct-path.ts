import { CloseCode, isNewer, nextSequence, type IceServer } from "@paceline/protocol";
import {
  PathChoice,
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
  /** One side of a pair makes the offers: the one that joined later. */
  readonly isInitiator: boolean;
  /** Makes links in an environment without WebRTC of its own; default: the browser's. */
  readonly newLink?: WebRtcLinkMaker | undefined;
  /** Chance, 0 to 1, so that many who were cut off together do not come back together. Default: `Math.random`. */
  readonly random?: () => number;
  /**
   * A first attempt that is not open after so long, ms, gets a second one beside it, and the first that opens is used. Over
   * a lossy line a lost packet of a handshake is repeated only after a second, and then after two. Default: never.
   */
  readonly hedgeAfterMs?: number;
  /** Lifetime of an event on a new link, ms. */
  eventLifetimeMs(): number;
  /** As they are now: passwords for TURN change. */
  iceServers(): readonly IceServer[];
  /** Carries signalling to the peer; `attempt` tells the tries apart. */
  sendSignal(attempt: number, data: unknown): void;
  /** A link that is being negotiated: the session proves it before it is used, or gives it up. */
  attach(link: Link, terms: LinkTerms): void;
}

/** State of one attempt. */
export interface LinkTerms {
  /** Later attempts are preferred, so that a better path takes over from one that works. */
  readonly rank: number;
  readonly deadlineMs: number;
}

/**
 * The rungs above the relay. On the first ICE tries all at once, and prefers direct paths to TURN; where it finds none
 * in time, the second goes through TURN alone, since a path may pass ICE's checks and nothing else.
 */
const rungs = {
  direct: { policy: "all", deadlineMs: 8000 },
  turn: { policy: "relay", deadlineMs: 6000 },
} as const;
type Rung = keyof typeof rungs;

/** Waits before a new attempt, by the number of attempts that failed before it; the last repeats. */
const RETRY_DELAYS_MS = [1000, 3000, 10_000, 30_000];
/** Waits vary by so much both ways. */
const JITTER = 0.25;
/** A link that held for so long was good: the next attempt comes soon again. */
const GOOD_AFTER_MS = 15_000;
/** A path through TURN works, and costs: after so long a direct one is tried again beside it. */
const UPGRADE_AFTER_MS = 120_000;
/** Attempts of the peer that are answered in a while; an honest one begins with three in ten seconds. */
const ANSWERS = { count: 6, windowMs: 10_000 } as const;

interface Attempt {
  readonly number: number;
  readonly rung: Rung;
  readonly link: SignalledLink;
  readonly eventLifetimeMs: number;
}

/**
 * Opens a direct link to one peer, again and again when it fails, for as long as that is allowed. Loaded on demand
 * and with it all of WebRTC: `lazy-direct-path.ts` alone imports this file.
 */
export class DirectPath {
  readonly #options: DirectPathOptions;
  readonly #answeredAtMs: number[] = [];
  #choice = new PathChoice();
  #attempt: Attempt | undefined;
  /** The link in use while an attempt for a better one runs, or the older of two attempts. */
  #previous: Attempt | undefined;
  #number = 0;
  #rank = 0;
  #failures = 0;
  #startedAtMs = 0;
  #isAllowed = false;
  #cancelRetry: Cancel | undefined;
  #cancelUpgrade: Cancel | undefined;
  #cancelHedge: Cancel | undefined;
  #lastFailure: string | undefined;

  constructor(options: DirectPathOptions) {
    this.#options = options;
  }

  /** Why the last attempt, or the last link, ended; undefined before any did. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** Whether the link is better than the relay; begins anew when links were not allowed for a while. */
  get choice(): PathChoice {
    return this.#choice;
  }

  /**
   * The delivery of packets on the link in use, and in words how it departs from the plan: a channel repeats events
   * for as long as it was opened for.
   */
  get route(): (Partial<LinkRoute> & { readonly note: string }) | undefined {
    const attempt = this.#previous ?? this.#attempt;
    if (!attempt) return undefined;
    const { link, eventLifetimeMs } = attempt;
    const isKept = eventLifetimeMs !== this.#options.eventLifetimeMs();
    const note = `; it repeats what it has taken of events for ${eventLifetimeMs} ms, as it was opened`;
    return { ...link.route, note: isKept ? note : "" };
  }

  /** Whether direct links may be used: both sides have WebRTC, and the plan wants it. */
  allow(isAllowed: boolean): void {
    if (isAllowed === this.#isAllowed) return;
    this.#isAllowed = isAllowed;
    this.#failures = 0;
    if (isAllowed && this.#options.isInitiator) this.#start("direct");
    if (isAllowed) return;
    this.#choice = new PathChoice();
    this.end("not wanted any more");
  }

  /** A signal of the peer. Signals of earlier attempts are stale and ignored. */
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

  /** The session sends over this link now. */
  linkActive(link: Link): void {
    // The older of two attempts was faster.
    if (link === this.#previous?.link) [this.#attempt, this.#previous] = [this.#previous, this.#attempt];
    if (link !== this.#attempt?.link) return;
    this.#cancelHedge?.();
    this.#previous?.link.close(CloseCode.replaced, "another path took over");
    this.#previous = undefined;
    this.#upgradeLater();
  }

  /** The session says that a link of this pair is gone. */
  linkDown(link: Link, close: LinkClose): void {
    if (link === this.#previous?.link) this.#previous = undefined;
    if (link !== this.#attempt?.link) return;
    const { rung } = this.#attempt;
    const hint = this.#attempt.link.hint;
    this.#attempt = this.#previous;
    this.#previous = undefined;
    this.#lastFailure = `${close.reason || `closed with code ${close.code}`}${hint ? ` (${hint})` : ""}`;
    if (this.#options.scheduler.nowMs() - this.#startedAtMs > GOOD_AFTER_MS) this.#failures = 0;
    if (!this.#isAllowed || !this.#options.isInitiator) return;
    if (this.#attempt) this.#upgradeLater();
    else if (rung === "direct" && link.counters.packetsReceived === 0 && this.#hasTurn()) this.#start("turn");
    else this.#retryLater();
  }

  /** The network is another one: what failed may work now, and what goes through TURN may go directly. */
  networkChanged(): void {
    if (!this.#isAllowed || !this.#options.isInitiator) return;
    this.#failures = 0;
    const isTrying = this.#attempt !== undefined && this.#attempt.link.state === "connecting";
    const isBest = this.#attempt?.link.state === "open" && this.#attempt.link.route?.isTurn === false;
    if (!isTrying && !isBest) this.#start("direct");
  }

  /** Closes the links and makes no attempts until they are allowed again. */
  end(reason: string): void {
    this.#isAllowed = false;
    this.#cancelTimers();
    for (const attempt of [this.#previous, this.#attempt]) attempt?.link.close(CloseCode.left, reason);
  }

  /** Breaks the links without a word, as a network does: for tests of what follows. */
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
    this.#options.attach(link, { rank: this.#rank, deadlineMs });
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
    this.#cancelRetry ??= this.#later(delayMs);
  }

  #upgradeLater(): void {
    this.#cancelUpgrade?.();
    this.#cancelUpgrade = undefined;
    if (!this.#options.isInitiator || !this.#attempt?.link.route?.isTurn) return;
    this.#cancelUpgrade = this.#later(UPGRADE_AFTER_MS);
  }

  #later(delayMs: number): Cancel {
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
