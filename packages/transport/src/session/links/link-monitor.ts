import type { Link } from "../../link.js";
import type { PathReading } from "../../live/path-choice.js";
import { PingLoss } from "./ping-loss.js";
import { RoundTrip } from "./round-trip.js";

export interface LinkMonitorOptions {
  /** Greater is better: the session uses the best link that is proven. May change: see {@link Session.reconsider}. */
  readonly preference: number;
  /** Whether a probe has to go both ways before the link carries anything. */
  readonly needsProof: boolean;
  /**
   * `unreliable`: states, inputs and events alone, while another link carries what must arrive; all of it when no other
   * is left. Default: everything.
   */
  readonly carries?: "everything" | "unreliable";
  /** From attaching to proof; after it the link is given up. */
  readonly connectTimeoutMs: number;
  /** A ping unanswered for so long, and nothing else received: the link is dead, whatever it says itself. */
  readonly timeoutMs: number;
  /** Infinity: only the first ping goes out by itself, since something else tells whether the remote is there. */
  readonly heartbeatMs: number;
  /**
   * While packets arrive by themselves, a ping says nothing new but the round trip and the loss: so often it goes out all
   * the same. Default: as often as the heartbeat.
   */
  readonly measureMs?: number;
  /**
   * Nothing received for so long, and a ping unanswered: the session's owner hears of it, so that it can try another way
   * meanwhile. Where it is set, a ping goes out whenever nothing was heard for half of it. Default: never.
   */
  readonly silenceMs?: number;
}

/** Until a link is proven it is probed at this period: the channel may lose probes. */
const PROBE_PERIOD_MS = 100;
/** A round trip unlike those before it is looked at again so soon: it was an outlier, or the delay is another one now. */
const SURPRISED_PERIOD_MS = 250;
const PINGS_BEFORE_FAILURE = 3;
/** A loop that was late by more than this share of a timeout says nothing about the link: silence counts from then on. */
const LATE_SHARE = 0.25;
/** A loop that is late again and again must not keep a dead link: without a packet in between, so often it is excused. */
const MAX_EXCUSES = 3;
/** From this share of the timeout on, the session asks over its other links whether the remote runs at all. */
const DOUBT_SHARE = 0.4;
/** A remote that was silent everywhere and runs again is given so long to be heard on each link. */
const RECOVERY_MS = 100;
/** A remote that answers nowhere may be busy: a link to it is given up only after so many timeouts. */
const BUSY_TIMEOUTS = 3;
/** A ping must have waited for its answer for this share of the silence. */
const ANSWER_SHARE = 0.4;

/** An answer that takes longer is not waited for. */
const ANSWER_WITHIN_MS = 2000;

/** Watches one link of a session: proof, round-trip time, silence. The session sends what it asks for. */
export class LinkMonitor {
  readonly link: Link;
  readonly options: LinkMonitorOptions;
  readonly #attachedAtMs: number;
  readonly #loss = new PingLoss();
  readonly #roundTrip = new RoundTrip();
  #openedAtMs: number | undefined;
  #isProven = false;
  #lastPingAtMs = Number.NEGATIVE_INFINITY;
  #unansweredSinceMs: number | undefined;
  #unanswered = 0;
  #heardAtMs: number;
  /** When the silence began that counts: {@link heardMs} but for stalls of this page. */
  #silentSinceMs: number;
  #excuses = 0;
  #lastAnswer: { readonly sentAtMs: number; readonly atMs: number } | undefined;
  #isSilent = false;

  constructor(link: Link, options: LinkMonitorOptions, nowMs: number) {
    this.link = link;
    this.options = options;
    this.#attachedAtMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#silentSinceMs = nowMs;
  }

  /** Whether the session may use the link. */
  get isUsable(): boolean {
    return this.link.state === "open" && (this.#isProven || !this.options.needsProof);
  }

  /** Round-trip time, the median of the last few; undefined before the first answer. */
  get rttMs(): number | undefined {
    return this.#roundTrip.rttMs;
  }

  /** Mean difference between neighbouring round trips. */
  get jitterMs(): number {
    return this.#roundTrip.jitterMs;
  }

  /** Measurements of this link; undefined while it is not usable, or before the first answer. */
  get reading(): PathReading | undefined {
    const { rttMs, jitterMs } = this;
    if (!this.isUsable || rttMs === undefined) return undefined;
    return {
      rttMs,
      jitterMs,
      lossRatio: oneWay(this.#loss.ratio),
      recentLossRatio: oneWay(this.#loss.recentRatio),
    };
  }

  opened(nowMs: number): void {
    this.#openedAtMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#silentSinceMs = nowMs;
  }

  /** The link carries the session's traffic from now on: if it was left for its losses, they are past. */
  taken(): void {
    this.#loss.forgetPast();
  }

  /** Anything received shows that the remote is there. */
  heard(nowMs: number): void {
    this.#heardAtMs = nowMs;
    this.#silentSinceMs = nowMs;
    this.#excuses = 0;
    if (this.isUsable) this.#forgetSilence();
  }

  /** This page's own loop was late: packets may wait in the socket's queue. */
  stalled(lateMs: number, nowMs: number): void {
    const { timeoutMs, silenceMs = timeoutMs } = this.options;
    if (lateMs < Math.min(timeoutMs, silenceMs) * LATE_SHARE || this.#excuses >= MAX_EXCUSES) return;
    this.#excuses += 1;
    this.#silentSinceMs = nowMs;
    this.#forgetSilence();
  }

  /** Whether it neither pings nor times out by itself, and waits for no answer. */
  isQuiet(nowMs: number): boolean {
    const isPassive = this.isUsable && this.options.heartbeatMs === Number.POSITIVE_INFINITY;
    return isPassive && nowMs - this.#lastPingAtMs > ANSWER_WITHIN_MS;
  }

  /** Time since the last received packet. */
  heardMs(nowMs: number): number {
    return nowMs - this.#heardAtMs;
  }

  /** Whether a ping should be sent now. `isActive`: the link carries the session's traffic. */
  isPingDue(nowMs: number, isActive: boolean): boolean {
    if (this.#openedAtMs === undefined) return false;
    const isProving = this.options.needsProof && !this.#isProven;
    const quietMs = (this.options.silenceMs ?? Number.POSITIVE_INFINITY) / 2;
    if (nowMs - this.#heardAtMs >= quietMs && nowMs - this.#lastPingAtMs >= quietMs) return true;
    const { heartbeatMs, measureMs = heartbeatMs } = this.options;
    const isHeard = this.rttMs !== undefined && nowMs - this.#heardAtMs < heartbeatMs;
    // A link that had to be proven is measured on while another one carries the traffic: it may be good again.
    const idleFactor = isActive || this.options.needsProof ? 1 : 4;
    const periodMs = (isHeard ? Math.max(heartbeatMs, measureMs) : heartbeatMs) * idleFactor;
    const isUrgent = isActive && this.#roundTrip.isSurprised;
    const maxMs = isProving ? PROBE_PERIOD_MS : isUrgent ? SURPRISED_PERIOD_MS : Number.POSITIVE_INFINITY;
    return nowMs - this.#lastPingAtMs >= Math.min(periodMs, maxMs);
  }

  pinged(nonce: number, nowMs: number): void {
    this.#lastPingAtMs = nowMs;
    this.#unansweredSinceMs ??= nowMs;
    this.#unanswered += 1;
    this.#loss.pinged(nonce, nowMs);
  }

  /** Whether the next ping is to find out if the remote is there, not what is lost: no proof yet, or no answers. */
  get isDoubtful(): boolean {
    return !this.isUsable || this.#unanswered > 1;
  }

  /** When the pings were sent that have no answer yet. */
  get openPings(): number[] {
    return this.#loss.open.map(({ sentAtMs }) => sentAtMs);
  }

  /** When the ping was sent, and whether its answer proved the link; undefined for an answer to no ping. */
  answered(
    nonce: number,
    nowMs: number,
  ): { readonly sentAtMs: number; readonly isProof: boolean } | undefined {
    const sentAtMs = this.#loss.answered(nonce);
    if (sentAtMs === undefined) return undefined;
    this.#forgetSilence();
    this.#lastAnswer = { sentAtMs, atMs: nowMs };
    const isNews = !this.#isProven;
    this.#isProven = true;
    return { sentAtMs, isProof: isNews && this.options.needsProof };
  }

  /** A round trip was measured. Of one that waited for this page's own loop the link's part is not known. */
  took(rttMs: number, wasLate: boolean): void {
    if (!wasLate || this.rttMs === undefined) this.#roundTrip.sample(rttMs);
  }

  /** True where silence has begun since the last call, false where it has ended, undefined where nothing changed. */
  silenceNews(nowMs: number): boolean | undefined {
    const { silenceMs } = this.options;
    if (silenceMs === undefined || !this.isUsable) return undefined;
    const unansweredMs = nowMs - (this.#unansweredSinceMs ?? nowMs);
    // A timer that comes late finds old times: the ping it sends first must have had a chance.
    const isSilent = nowMs - this.#heardAtMs >= silenceMs && unansweredMs >= silenceMs * ANSWER_SHARE;
    if (isSilent === this.#isSilent) return undefined;
    this.#isSilent = isSilent;
    return isSilent;
  }

  /** Whether it has been silent for so long that the session should ask over this other link whether the remote runs. */
  shouldAsk(other: LinkMonitor, nowMs: number): boolean {
    const doubtMs = this.options.timeoutMs * DOUBT_SHARE;
    return (
      this.#mayBeExcused(other) &&
      nowMs - this.#silentSinceMs >= doubtMs &&
      nowMs - other.#lastPingAtMs >= doubtMs
    );
  }

  /**
   * Why the link must be given up; undefined while it is well. Silence is borne for `leastTimeoutMs` at least, and longer
   * while the remote answers on none of the other links either: then it is the remote that does not run.
   */
  failure(nowMs: number, leastTimeoutMs = 0, others: readonly LinkMonitor[] = []): string | undefined {
    if (!this.isUsable) {
      const { connectTimeoutMs } = this.options;
      const isOver = nowMs - this.#attachedAtMs > connectTimeoutMs;
      return isOver ? `no proof within ${connectTimeoutMs} ms` : undefined;
    }
    // After a stall of this page the answers wait behind the timer that asks here: one ping proves nothing.
    if (this.#unansweredSinceMs === undefined || this.#unanswered < PINGS_BEFORE_FAILURE) return undefined;
    // From the last sign of life: the first ping that is not answered may leave a whole period after it.
    const silentMs = nowMs - this.#silentSinceMs;
    const timeoutMs = Math.max(this.options.timeoutMs, leastTimeoutMs);
    const witnesses = others.filter((other) => this.#mayBeExcused(other));
    const isBusy = witnesses.length > 0 && !witnesses.some((other) => this.#isContradictedBy(other, nowMs));
    return silentMs > timeoutMs * (isBusy ? BUSY_TIMEOUTS : 1)
      ? `silent for ${Math.round(silentMs)} ms`
      : undefined;
  }

  #mayBeExcused(other: LinkMonitor): boolean {
    return other !== this && this.isUsable && this.options.needsProof && other.isUsable;
  }

  /** The remote ran after the silence had begun, and has had time to be heard here as well. */
  #isContradictedBy(other: LinkMonitor, nowMs: number): boolean {
    const answer = other.#lastAnswer;
    return (
      answer !== undefined && answer.sentAtMs > this.#silentSinceMs && nowMs - answer.atMs >= RECOVERY_MS
    );
  }

  #forgetSilence(): void {
    this.#unansweredSinceMs = undefined;
    this.#unanswered = 0;
  }
}

/** A round trip is lost on the way there or on the way back; a state goes one of the two. */
function oneWay(roundTripLossRatio: number): number {
  return 1 - Math.sqrt(1 - roundTripLossRatio);
}
