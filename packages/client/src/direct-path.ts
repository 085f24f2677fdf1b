import { CloseCode, isNewer, nextSequence, type IceServer } from "@paceline/protocol";
import type { Cancel, Link, LinkClose, Scheduler } from "@paceline/transport";
import { WebRtcLink } from "@paceline/transport/webrtc";

export interface DirectPathOptions {
  readonly scheduler: Scheduler;
  readonly iceServers: readonly IceServer[];
  /** One side of a pair makes the offers: the one that joined later. */
  readonly isInitiator: boolean;
  /** Carries signalling to the peer; `attempt` tells the tries apart. */
  sendSignal(attempt: number, data: unknown): void;
  /** A link that is being negotiated: the session proves it before it is used. */
  attach(link: Link): void;
}

/** Waits before a new attempt, by the number of attempts that failed before it; the last repeats. */
const RETRY_DELAYS_MS = [1000, 3000, 10_000, 30_000];
/** A link that held for so long was good: the next attempt comes soon again. */
const GOOD_AFTER_MS = 15_000;

/**
 * Opens a direct link to one peer, again and again when it fails, for as long as that is allowed. Loaded on demand
 * and with it all of WebRTC: `lazy-direct-path.ts` alone imports this file.
 */
export class DirectPath {
  readonly #options: DirectPathOptions;
  #link: WebRtcLink | undefined;
  #attempt = 0;
  #failures = 0;
  #startedAtMs = 0;
  #isAllowed = false;
  #cancelRetry: Cancel | undefined;
  #lastFailure: string | undefined;

  constructor(options: DirectPathOptions) {
    this.#options = options;
  }

  /** Why the last attempt, or the last link, ended; undefined before any did. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** Whether direct links may be used: both sides have WebRTC, and the plan wants it. */
  allow(isAllowed: boolean): void {
    if (isAllowed === this.#isAllowed) return;
    this.#isAllowed = isAllowed;
    this.#failures = 0;
    if (isAllowed && this.#options.isInitiator) this.#start();
    if (!isAllowed) this.end("not wanted any more");
  }

  /** A signal of the peer. Signals of earlier attempts are stale and ignored. */
  signal(attempt: number, data: unknown): void {
    if (!this.#isAllowed) return;
    if (!this.#options.isInitiator && (attempt !== this.#attempt || !this.#link)) {
      if (this.#attempt !== 0 && !isNewer(attempt, this.#attempt)) return;
      this.#link?.close(CloseCode.replaced, "the peer began anew");
      this.#attempt = attempt;
      this.#open();
    }
    if (attempt === this.#attempt) this.#link?.signal(data);
  }

  /** The session says that a link of this pair is gone; true where it was the direct one. */
  linkDown(link: Link, close: LinkClose): void {
    if (link !== this.#link) return;
    this.#link = undefined;
    this.#lastFailure = close.reason || `closed with code ${close.code}`;
    if (this.#options.scheduler.nowMs() - this.#startedAtMs > GOOD_AFTER_MS) this.#failures = 0;
    if (this.#isAllowed && this.#options.isInitiator) this.#retryLater();
  }

  /** Closes the link, if there is one, and tries no more until allowed anew. */
  end(reason: string): void {
    this.#isAllowed = false;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#link?.close(CloseCode.left, reason);
  }

  /** Breaks the link without a word, as a network does: for tests of what follows. */
  kill(): void {
    this.#link?.close(CloseCode.timeout, "killed on purpose");
  }

  #start(): void {
    this.#cancelRetry = undefined;
    this.#attempt = nextSequence(this.#attempt) || 1;
    this.#open();
  }

  #open(): void {
    const attempt = this.#attempt;
    this.#startedAtMs = this.#options.scheduler.nowMs();
    const link = new WebRtcLink({
      scheduler: this.#options.scheduler,
      isInitiator: this.#options.isInitiator,
      iceServers: this.#options.iceServers,
      onSignal: (data) => this.#options.sendSignal(attempt, data),
    });
    this.#link = link;
    this.#options.attach(link);
  }

  #retryLater(): void {
    const delayMs = RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)]!;
    this.#failures += 1;
    this.#cancelRetry ??= this.#options.scheduler.after(delayMs, () => this.#start());
  }
}
