import type { PongTimes } from "../session/session-options.js";

interface Sample {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Number of round trips over an ordered link that waited, and of all in the last five seconds. */
export interface StallReading {
  readonly stalled: number;
  readonly roundTrips: number;
}

/** Round trips of so long are looked at. */
const WINDOW_MS = 5000;
const MIN_SAMPLES = 8;
/** Two in five seconds may be chance. */
const MIN_STALLS = 3;
/** Packets behind one hole arrive in one moment; those of a queue as far apart as they were sent. */
const TOGETHER_MS = 5;
/** For lost segments speaks only what jitter hardly does: three answers or more, held back by so much longer. */
const SURELY_APART_MS = 90;
const SURELY_TOGETHER = 3;
/** Against a queue speaks any sign of a release. */
const APART_MS = 40;
const TOGETHER = 2;
/** From this share of the stalls on, the others are like them: lost segments, or both them and a queue ... */
const SOME_TOGETHER = 0.1;
/** ... and from this one on no queue. */
const MAX_TOGETHER = 0.35;
/** A queue always lets something through: where nothing at all came for so long, the stream waits for a segment. */
const SILENCE_MS = 300;
/** The way there may wait alone: then packets come, and none of them says that anything has arrived. A queue moves on. */
const NO_ANSWER_MS = 1000;
/** A round trip this much above the base waited behind a lost segment, or in a queue. */
const STALL_MS = 60;
const STALL_SHARE_OF_BASE = 0.5;
/** The base is the least round trip, and grows by so much with each: a route may become longer for good. */
const BASE_GROWTH_MS = 0.1;

/**
 * Finds from the round trips of an ordered link how many of them waited behind lost segments: the decision tree goes by
 * that when it says over what states go. A queue is told from loss by two signs. Where a queue stands, even the shortest
 * round trips take longer than they did; and answers leave it as far apart as their pings were sent, while those that
 * waited for one lost segment come in one moment. Only against lost segments another link helps. Pure: time comes in.
 */
export class StallMeter {
  readonly #samples: Sample[] = [];
  /** When pings were sent whose answers are overdue. */
  #overdue: readonly number[] = [];
  #baseMs = Number.POSITIVE_INFINITY;
  /** When holes were seen last: their signs come and go, and who asks once a second must not miss them. */
  #holesAtMs = Number.NEGATIVE_INFINITY;
  /** Nothing at all comes, or no answer among it, and pings are overdue. */
  #isSilent = false;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** When the newest ping was sent that has its answer. */
  #answeredSentMs = Number.NEGATIVE_INFINITY;
  #observedAtMs = Number.NEGATIVE_INFINITY;

  /** Share of the round trips that stalled behind lost segments, 0 to 1; undefined while there were too few. */
  get ratio(): number | undefined {
    const { stalled, roundTrips } = this.reading;
    if (roundTrips < MIN_SAMPLES) return undefined;
    return this.#observedAtMs - this.#holesAtMs <= WINDOW_MS ? stalled / roundTrips : 0;
  }

  /** The counts, whether segments were lost or a queue stood before them. */
  get reading(): StallReading {
    const stalled = this.#samples.filter((sample) => this.#isStall(sample)).length;
    const open = this.#overdue.length;
    return { stalled: stalled + open, roundTrips: this.#samples.length + open };
  }

  /** Whether round trips should be measured more often for now: something was seen that needs a closer look. */
  get isSuspicious(): boolean {
    return this.reading.stalled > 0;
  }

  /** Takes a round trip of the first socket. One that waited for this page's own loop did not wait for a segment. */
  observe({ sentMs, receivedMs, wasLate }: Omit<PongTimes, "remoteMs">): void {
    this.#overdue = this.#overdue.filter((openMs) => openMs > sentMs);
    this.#answeredAtMs = receivedMs;
    this.#answeredSentMs = Math.max(this.#answeredSentMs, sentMs);
    if (wasLate) return;
    this.#forget(receivedMs);
    this.#samples.push({ sentMs, receivedMs });
    this.#baseMs = Math.min(receivedMs - sentMs, this.#baseMs + BASE_GROWTH_MS);
    this.#lookForHoles(receivedMs);
  }

  /**
   * Takes when the pings were sent that have no answer yet, one that waits for longer than a stall takes is one, for how
   * long nothing at all was received, and when one more packet was heard to have arrived there.
   */
  observeOpen(
    sentMs: readonly number[],
    silentMs: number,
    nowMs: number,
    acknowledgedAtMs = Number.NEGATIVE_INFINITY,
  ): void {
    this.#forget(nowMs);
    // The link keeps the order: a ping that was overtaken by an answer was never to have one, as beyond a limit of pings.
    const open = sentMs.filter((openMs) => openMs > this.#answeredSentMs);
    this.#overdue = open.filter((openMs) => this.#isStall({ sentMs: openMs, receivedMs: nowMs }));
    const unansweredMs = nowMs - Math.max(this.#answeredAtMs, acknowledgedAtMs, this.#overdue[0] ?? nowMs);
    const isUnanswered = this.#overdue.length >= MIN_STALLS && unansweredMs >= NO_ANSWER_MS;
    this.#isSilent = isUnanswered || (silentMs >= SILENCE_MS && this.#overdue.length > 0);
    this.#lookForHoles(nowMs);
  }

  #lookForHoles(nowMs: number): void {
    this.#observedAtMs = nowMs;
    const { stalled, roundTrips } = this.reading;
    if (stalled < MIN_STALLS || roundTrips < MIN_SAMPLES) return;
    const areHoles = !this.#isQueue && this.#shareTogether(SURELY_APART_MS, SURELY_TOGETHER) >= SOME_TOGETHER;
    if (this.#isSilent || areHoles) this.#holesAtMs = nowMs;
  }

  #forget(nowMs: number): void {
    while (this.#samples.length > 0 && nowMs - this.#samples[0]!.receivedMs > WINDOW_MS)
      this.#samples.shift();
  }

  /** Whether the last round trips all waited, and not for holes. */
  get #isQueue(): boolean {
    const last = this.#samples.slice(-MIN_SAMPLES);
    if (last.length < MIN_SAMPLES || !last.every((sample) => this.#isStall(sample))) return false;
    return this.#shareTogether(APART_MS, TOGETHER) < MAX_TOGETHER;
  }

  /** Share of the stalls that ended in one moment with one that had begun well before or after them. */
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
    return receivedMs - sentMs > this.#baseMs + Math.max(STALL_MS, this.#baseMs * STALL_SHARE_OF_BASE);
  }
}
