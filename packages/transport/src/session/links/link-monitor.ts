import type { Link } from "../../link.js";
import type { PathReading } from "../../path-choice.js";
import type { RoutedLoss } from "../routed-loss.js";
import { PingLoss } from "./ping-loss.js";
import { RoundTrip } from "./round-trip.js";

export interface LinkMonitorOptions {
  /** Preference among proven links: the greatest is used. If it changes, call {@link Session.reconsider}. */
  readonly preference: number;
  /** True if a probe must be answered before the link carries traffic. */
  readonly needsProof: boolean;
  /**
   * `unreliable`: only states, inputs and events, while another link carries the reliable classes. It carries
   * all if no other is left. Default: everything.
   */
  readonly carries?: "everything" | "unreliable";
  /** Longest time from attaching to proof, ms, or from the last stall of this page. Then the link is given up. */
  readonly connectTimeoutMs: number;
  /** Silence with an unanswered ping after which the link counts as dead, whatever its own state is, ms. */
  readonly timeoutMs: number;
  /**
   * Period of pings, ms. With Infinity only the first ping is sent: the owner must know by other means if the
   * remote is there.
   */
  readonly heartbeatMs: number;
  /**
   * Period of pings while packets arrive by themselves, ms: they only measure the round trip and the loss
   * then. Default: `heartbeatMs`.
   */
  readonly measureMs?: number;
  /**
   * True if the link is pinged at its full rate while another carries the traffic. Default: if it needs proof,
   * since it may be good again.
   */
  readonly isMeasuredIdle?: boolean;
  /**
   * Silence with an unanswered ping after which the owner gets `onSilence`, so that it can try another path,
   * ms. A ping is sent after half of this silence. Default: never.
   */
  readonly silenceMs?: number;
  /**
   * Measures the loss of routed packets, with the other side's help. For the link of a client and its server that
   * loses packets. Default: it is not measured.
   */
  readonly routed?: RoutedLoss;
  /** Returns true if a received packet may be read. If not, it is dropped and counted. Default: each may. */
  readonly admits?: (packetBytes: number) => boolean;
}

/** Period of probes until a link is proven, ms. The channel may lose some of them. */
const PROBE_PERIOD_MS = 100;
/** Period of pings after an unusual round trip, ms: it was an outlier, or the delay has changed. */
const SURPRISED_PERIOD_MS = 250;
const PINGS_BEFORE_FAILURE = 3;
/** If the page's loop was late by more than this share of a timeout, silence counts from then on. */
const LATE_SHARE = 0.25;
/**
 * Limit of excuses for a late loop without a packet in between: a loop that is always late must not keep a dead
 * link.
 */
const MAX_EXCUSES = 3;
/**
 * Share of the timeout after which the session pings over its other links, to see if the remote runs at all.
 */
const DOUBT_SHARE = 0.4;
/** After a silence on all links, the time that each link has to be heard again, ms. */
const RECOVERY_MS = 100;
/** Timeouts after which a link is given up if the remote answers nowhere, because it may be busy. */
const BUSY_TIMEOUTS = 3;
/** Share of the silence for which a ping must be unanswered. */
const ANSWER_SHARE = 0.4;

/** Longest wait for an answer, ms. */
const ANSWER_WITHIN_MS = 2000;

/** Watches one link of a session: proof, round-trip time, silence. The session sends the pings. */
export class LinkMonitor {
  readonly link: Link;
  readonly options: LinkMonitorOptions;
  readonly #attachedAtMs: number;
  /** Start of the time that counts for `connectTimeoutMs`. */
  #connectingSinceMs: number;
  readonly #loss = new PingLoss();
  readonly #roundTrip = new RoundTrip();
  #openedAtMs: number | undefined;
  #isProven = false;
  #lastPingAtMs = -Infinity;
  #unansweredSinceMs: number | undefined;
  #unanswered = 0;
  #heardAtMs: number;
  #isHeard = false;
  /** Start of the silence that counts: as in {@link heardMs}, but without stalls of this page. */
  #silentSinceMs: number;
  #excuses = 0;
  #lastAnswer: { readonly sentAtMs: number; readonly atMs: number } | undefined;
  #isSilent = false;

  constructor(link: Link, options: LinkMonitorOptions, nowMs: number) {
    this.link = link;
    this.options = options;
    this.#attachedAtMs = nowMs;
    this.#connectingSinceMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#silentSinceMs = nowMs;
  }

  get isUsable(): boolean {
    return this.link.state === "open" && (this.#isProven || !this.options.needsProof);
  }

  /**
   * Round-trip time, ms: the median of the last few, without those that waited for this page's own loop once
   * one did not. Undefined before the first answer.
   */
  get rttMs(): number | undefined {
    return this.#roundTrip.rttMs;
  }

  /** Mean difference between neighbouring round trips, ms. */
  get jitterMs(): number {
    return this.#roundTrip.jitterMs;
  }

  /** Measurements of this link. Undefined while it is not usable, or before the first answer. */
  get reading(): PathReading | undefined {
    const { rttMs, jitterMs } = this;
    if (!this.isUsable || rttMs === undefined) return undefined;
    return {
      rttMs,
      jitterMs,
      roundTrips: this.#roundTrip.count,
      lossRatio: oneWay(this.#loss.ratio),
      recentLossRatio: oneWay(this.#loss.recentRatio),
    };
  }

  opened(nowMs: number): void {
    this.#openedAtMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#silentSinceMs = nowMs;
  }

  /**
   * Called when the link begins to carry the traffic. Forgets old losses, for which it may have been left.
   */
  taken(): void {
    this.#loss.forgetOldPings();
  }

  /**
   * Returns true if this link is to carry the traffic instead of `other`. It was opened because the other may
   * be dead. If the other was heard since, the remote must be heard over this one first: it may refuse it.
   */
  isBetterThan(other: LinkMonitor): boolean {
    const isDoubtful = !other.#isHeard || other.#heardAtMs < this.#attachedAtMs;
    return this.options.preference > other.options.preference && (this.#isHeard || isDoubtful);
  }

  /**
   * Called when a packet is received, which shows that the remote is there. Returns true for the first one.
   */
  heard(nowMs: number): boolean {
    const isFirst = !this.#isHeard;
    this.#isHeard = true;
    this.#heardAtMs = nowMs;
    this.#silentSinceMs = nowMs;
    this.#excuses = 0;
    if (this.isUsable) this.#forgetSilence();
    return isFirst;
  }

  /** Called when this page's own loop was late: packets may wait in the socket's queue. */
  stalled(lateMs: number, nowMs: number): void {
    const { timeoutMs, silenceMs = timeoutMs } = this.options;
    if (lateMs < Math.min(timeoutMs, silenceMs) * LATE_SHARE || this.#excuses >= MAX_EXCUSES) return;
    this.#excuses += 1;
    this.#silentSinceMs = nowMs;
    this.#connectingSinceMs = nowMs;
    this.#forgetSilence();
  }

  /** Returns true if the link neither pings nor times out by itself, and waits for no answer. */
  isQuiet(nowMs: number): boolean {
    const isPassive = this.isUsable && this.options.heartbeatMs === Infinity;
    return isPassive && nowMs - this.#lastPingAtMs > ANSWER_WITHIN_MS;
  }

  /** Returns true if the link works, waits for no answer, and sends no ping within `forMs`. */
  isSteady(nowMs: number, forMs: number): boolean {
    const newest = this.#loss.open.at(-1);
    const isWaiting = newest !== undefined && nowMs - newest.sentAtMs <= ANSWER_WITHIN_MS;
    return this.isUsable && !isWaiting && !this.isPingDue(nowMs + forMs, true);
  }

  /** Returns the time since the last received packet, ms. */
  heardMs(nowMs: number): number {
    return nowMs - this.#heardAtMs;
  }

  /** Asks for a round trip soon, because states seem slow: it shows which direction is. */
  hurry(): void {
    this.#roundTrip.isSurprised = true;
  }

  /** Returns true if a ping is due. `isActive`: the link carries the session's traffic. */
  isPingDue(nowMs: number, isActive: boolean): boolean {
    if (this.#openedAtMs === undefined) return false;
    const isProving = this.options.needsProof && !this.#isProven;
    const quietMs = (this.options.silenceMs ?? Infinity) / 2;
    if (nowMs - this.#heardAtMs >= quietMs && nowMs - this.#lastPingAtMs >= quietMs) return true;
    const { heartbeatMs, measureMs = heartbeatMs } = this.options;
    const isHeard = this.rttMs !== undefined && nowMs - this.#heardAtMs < heartbeatMs;
    const { needsProof, isMeasuredIdle = needsProof } = this.options;
    const idleFactor = isActive || isMeasuredIdle ? 1 : 4;
    const periodMs = (isHeard ? Math.max(heartbeatMs, measureMs) : heartbeatMs) * idleFactor;
    const isUrgent = isActive && this.#roundTrip.isSurprised;
    const maxMs = isProving ? PROBE_PERIOD_MS : isUrgent ? SURPRISED_PERIOD_MS : Infinity;
    return nowMs - this.#lastPingAtMs >= Math.min(periodMs, maxMs);
  }

  pinged(nonce: number, nowMs: number): void {
    this.#lastPingAtMs = nowMs;
    this.#unansweredSinceMs ??= nowMs;
    this.#unanswered += 1;
    this.#loss.pinged(nonce, nowMs);
    this.options.routed?.pinged(nonce);
  }

  /**
   * True if the next ping must find out if the remote is there, instead of measuring loss: no proof yet, or
   * no answers.
   */
  get isDoubtful(): boolean {
    return !this.isUsable || this.#unanswered > 1;
  }

  /** Send times of unanswered pings, ms. */
  get openPings(): number[] {
    return this.#loss.open.map(({ sentAtMs }) => sentAtMs);
  }

  /**
   * Takes an answer. Returns when the ping was sent, and if the answer proved the link. Returns undefined if
   * no ping has this number.
   */
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

  /**
   * Takes a round trip. One that waited for this page's own loop counts only until the first that did not.
   */
  took(rttMs: number, wasLate: boolean): void {
    if (wasLate) this.#roundTrip.sampleLate(rttMs);
    else this.#roundTrip.sample(rttMs);
  }

  /**
   * Returns true if silence has begun since the last call, false if it has ended, and undefined without a
   * change.
   */
  silenceNews(nowMs: number): boolean | undefined {
    const { silenceMs } = this.options;
    if (silenceMs === undefined || !this.isUsable) return undefined;
    const unansweredMs = nowMs - (this.#unansweredSinceMs ?? nowMs);
    // After a late timer all times are old: the ping that it sends needs time for its answer.
    const isSilent = nowMs - this.#heardAtMs >= silenceMs && unansweredMs >= silenceMs * ANSWER_SHARE;
    if (isSilent === this.#isSilent) return undefined;
    this.#isSilent = isSilent;
    return isSilent;
  }

  /** Returns true if this link is silent for so long that the session should ping over `other`. */
  shouldAsk(other: LinkMonitor, nowMs: number): boolean {
    const doubtMs = this.options.timeoutMs * DOUBT_SHARE;
    return (
      this.#mayBeExcused(other) &&
      nowMs - this.#silentSinceMs >= doubtMs &&
      nowMs - other.#lastPingAtMs >= doubtMs
    );
  }

  /**
   * Returns the reason to give the link up, or undefined if it works. Silence is allowed for at least
   * `leastTimeoutMs`, and longer if the remote answers on none of the other links: then the remote itself has
   * stopped.
   */
  failure(nowMs: number, leastTimeoutMs = 0, others: readonly LinkMonitor[] = []): string | undefined {
    if (!this.isUsable) {
      const { connectTimeoutMs } = this.options;
      const isOver = nowMs - this.#connectingSinceMs > connectTimeoutMs;
      return isOver ? `no proof within ${connectTimeoutMs} ms` : undefined;
    }
    // After a stall of this page, answers wait until the timer of this check has run: one ping proves nothing.
    if (this.#unansweredSinceMs === undefined || this.#unanswered < PINGS_BEFORE_FAILURE) return undefined;
    // Counts from the last packet, because the first unanswered ping may leave a whole period later.
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

  /**
   * Returns true if the remote ran after the silence had begun, and has had time to be heard here as well.
   */
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

/** Returns the loss of one direction. A round trip is lost in either direction, a state in one of them. */
function oneWay(roundTripLossRatio: number): number {
  return 1 - Math.sqrt(1 - roundTripLossRatio);
}
