import type { PongTimes } from "../session/session-options.js";

interface Sample {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Round trips over an ordered link in the last five seconds, and how many of them waited. */
export interface StallReading {
  readonly stalled: number;
  readonly roundTrips: number;
}

/** Round trips of at most this age count, ms. */
const WINDOW_MS = 5000;
const MIN_SAMPLES = 8;
/** Fewest stalls that count: two in five seconds may be chance. */
const MIN_STALLS = 3;
/**
 * Answers that arrive within this time arrived together, ms. Packets that wait for one lost segment arrive in one moment,
 * those of a queue as far apart as they were sent.
 */
const TOGETHER_MS = 5;
/** Pings sent this far apart whose answers arrive together waited for a lost segment, ms: jitter is smaller. */
const SURELY_APART_MS = 90;
/** Number of such answers that proves a lost segment. */
const SURELY_TOGETHER = 3;
/** Pings sent this far apart whose answers arrive together did not wait in a queue, ms. */
const APART_MS = 40;
/** Number of such answers that rules a queue out. */
const TOGETHER = 2;
/** If at least this share of the stalls ended together, lost segments are a cause, perhaps beside a queue. */
const MIN_TOGETHER_SHARE = 0.1;
/** If at least this share of the stalls ended together, there is no queue. */
const MAX_TOGETHER = 0.35;
/**
 * A silence this long means that the stream waits for a lost segment, ms: a queue always lets some packets
 * through.
 */
const SILENCE_MS = 300;
/**
 * Without an answer for this long, the path to the other side waits for a lost segment, ms, even if packets
 * still arrive: a queue would move on.
 */
const NO_ANSWER_MS = 1000;
/**
 * A round trip stalled if it exceeds the base by this time and by this share of the base: it waited for a
 * lost segment or in a queue.
 */
const STALL_MS = 60;
const STALL_SHARE_OF_BASE = 0.5;
/**
 * Round trips of a new connection that never stalled: TCP sends ten packets at first and twice as many after
 * each round trip (RFC 6928), and holds back the others. Their answers arrive together, as after a loss.
 */
const SLOW_START_ROUND_TRIPS = 3;
/**
 * Growth of the base with each round trip, ms. The base is the least round trip, but a route may become
 * longer for good.
 */
const BASE_GROWTH_MS = 0.1;

/**
 * Finds how many round trips of an ordered link waited for lost segments. The decision tree uses the share
 * to choose the number of sockets for states, because another socket helps only against lost segments, not
 * against a queue. Two signs show a queue: even the shortest round trips become longer, and answers arrive as
 * far apart as their pings were sent. Answers that waited for one lost segment arrive in one moment. Has no
 * clock of its own.
 */
export class StallMeter {
  readonly #samples: Sample[] = [];
  /** Send times of pings with overdue answers. */
  #overdue: readonly number[] = [];
  #baseMs = Infinity;
  /** Send time of the connection's first ping that was answered. */
  #firstSentMs: number | undefined;
  /**
   * Time of the last sign of holes. It is kept because signs come and go, and callers read the ratio once a
   * second.
   */
  #gapsCheckedAtMs = -Infinity;
  /** True if pings are overdue and either no packets or no answers arrive. */
  #isSilent = false;
  #answeredAtMs = -Infinity;
  /** Send time of the newest answered ping. */
  #answeredSentMs = -Infinity;
  #observedAtMs = -Infinity;
  /** The counts of all stalls, for lost segments or in a queue. */
  reading: StallReading = { stalled: 0, roundTrips: 0 };

  /**
   * Share of the round trips that waited for lost segments, 0 to 1. Undefined with too few round trips.
   */
  get ratio(): number | undefined {
    const { stalled, roundTrips } = this.reading;
    if (roundTrips < MIN_SAMPLES) return undefined;
    return this.#observedAtMs - this.#gapsCheckedAtMs <= WINDOW_MS ? stalled / roundTrips : 0;
  }

  /** True if some round trips stalled, so that the caller should measure more often. */
  get isSuspicious(): boolean {
    return this.reading.stalled > 0;
  }

  /** Starts to measure another connection. */
  begin(): void {
    this.#firstSentMs = undefined;
  }

  /**
   * Takes a round trip of the first socket. Does not count one that waited for this page's own event loop.
   */
  observe({ sentMs, receivedMs, wasLate }: Omit<PongTimes, "remoteMs">): void {
    this.#overdue = this.#overdue.filter((openMs) => openMs > sentMs);
    this.#answeredAtMs = receivedMs;
    this.#firstSentMs ??= sentMs;
    this.#answeredSentMs = Math.max(this.#answeredSentMs, sentMs);
    if (wasLate) return this.#count();
    this.#forget(receivedMs);
    this.#samples.push({ sentMs, receivedMs });
    this.#baseMs = Math.min(receivedMs - sentMs, this.#baseMs + BASE_GROWTH_MS);
    this.#findGaps(receivedMs);
  }

  /**
   * Takes the send times of unanswered pings, the time since the last received packet, and the time at which
   * the other side last acknowledged a further packet. A ping whose answer is overdue counts as a stall.
   */
  observeOpen(
    sentMs: readonly number[],
    silentMs: number,
    nowMs: number,
    acknowledgedAtMs = -Infinity,
  ): void {
    this.#forget(nowMs);
    // The link keeps the order, so the pings before an answered one get no answer any more: the other side
    // has dropped them, for example because of its limit of pongs.
    const open = sentMs.filter((openMs) => openMs > this.#answeredSentMs);
    this.#overdue = open.filter((openMs) => this.#isStall({ sentMs: openMs, receivedMs: nowMs }));
    const unansweredMs = nowMs - Math.max(this.#answeredAtMs, acknowledgedAtMs, this.#overdue[0] ?? nowMs);
    const isUnanswered = this.#overdue.length >= MIN_STALLS && unansweredMs >= NO_ANSWER_MS;
    this.#isSilent = isUnanswered || (silentMs >= SILENCE_MS && this.#overdue.length > 0);
    this.#findGaps(nowMs);
  }

  #count(): void {
    let stalled = this.#overdue.length;
    const roundTrips = stalled + this.#samples.length;
    for (const sample of this.#samples) if (this.#isStall(sample)) stalled += 1;
    this.reading = { stalled, roundTrips };
  }

  #findGaps(nowMs: number): void {
    this.#observedAtMs = nowMs;
    this.#count();
    const { stalled, roundTrips } = this.reading;
    if (stalled < MIN_STALLS || roundTrips < MIN_SAMPLES) return;
    const areHoles =
      !this.#isQueue && this.#shareTogether(SURELY_APART_MS, SURELY_TOGETHER) >= MIN_TOGETHER_SHARE;
    if (this.#isSilent || areHoles) this.#gapsCheckedAtMs = nowMs;
  }

  #forget(nowMs: number): void {
    while (this.#samples.length > 0 && nowMs - this.#samples[0]!.receivedMs > WINDOW_MS)
      this.#samples.shift();
  }

  /** True if the last round trips all stalled, and not for lost segments. */
  get #isQueue(): boolean {
    const last = this.#samples.slice(-MIN_SAMPLES);
    if (last.length < MIN_SAMPLES || !last.every((sample) => this.#isStall(sample))) return false;
    return this.#shareTogether(APART_MS, TOGETHER) < MAX_TOGETHER;
  }

  /** Share of the stalls that ended together with a round trip that began much earlier or later. */
  #shareTogether(minApartMs: number, minCount: number): number {
    let [together, stalled, first] = [0, 0, 0];
    for (const sample of this.#samples) {
      if (this.#isStall(sample)) stalled += 1;
      while (sample.receivedMs - this.#samples[first]!.receivedMs > TOGETHER_MS) first += 1;
      if (Math.abs(sample.sentMs - this.#samples[first]!.sentMs) >= minApartMs) together += 1;
    }
    return together < minCount ? 0 : together / stalled;
  }

  #isStall({ sentMs, receivedMs }: Sample): boolean {
    const sinceStartMs = sentMs - (this.#firstSentMs ?? Infinity);
    const isSlowStart = sinceStartMs >= 0 && sinceStartMs < SLOW_START_ROUND_TRIPS * this.#baseMs;
    const limitMs = this.#baseMs + Math.max(STALL_MS, this.#baseMs * STALL_SHARE_OF_BASE);
    return !isSlowStart && receivedMs - sentMs > limitMs;
  }
}
