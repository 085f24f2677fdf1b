import type { PongTimes } from "../session/session-options.js";

interface Sample {
  readonly atMs: number;
  readonly rttMs: number;
}

/** How many round trips over an ordered link waited, of how many in the last ten seconds. */
export interface StallReading {
  readonly stalled: number;
  readonly roundTrips: number;
}

/** Round trips of so long are looked at. */
const WINDOW_MS = 10_000;
const LEAST_SAMPLES = 8;
/** Two in ten seconds may be chance. */
const LEAST_STALLS = 3;
/** Round trips that all took long are a queue, if so many of them in a row did; and for as long as fewer did, perhaps. */
const STANDING_SAMPLES = 16;
/** What waited behind one hole comes at once, a queue's content one after the other: arrivals so near, though sent apart. */
const TOGETHER_MS = 15;
const SENT_APART_MS = 100;
/** From this share on, of neighbours that came together, what they waited behind was lost segments. */
const HOLES_SHARE = 0.2;
/** A round trip this much above the base waited behind a lost segment, or in a queue. */
const STALL_MS = 60;
const STALL_SHARE_OF_BASE = 0.5;
/** After congestion no stall is put down to loss for so long. */
const CONGESTED_FOR_MS = 15_000;
/** The base is the least round trip of so many slices of time: a route may become longer for good. */
const BASE_SLICE_MS = 10_000;
const BASE_SLICES = 12;

/**
 * Finds from the round trips of an ordered link how many of them waited behind lost segments: what the decision tree
 * goes by when it says over how many sockets states go. What tells loss from congestion: where a queue stands, even the
 * shortest round trips take longer than they did, and they end one after the other; where segments are lost, some do not
 * take long, or, where many are lost, several end in the same moment, when a hole is filled. Only against lost segments
 * more sockets help. Pure: time comes in.
 */
export class StallMeter {
  readonly #samples: Sample[] = [];
  readonly #slices: { readonly untilMs: number; leastMs: number }[] = [];
  #congestedAtMs = Number.NEGATIVE_INFINITY;
  #observedAtMs = Number.NEGATIVE_INFINITY;

  /** Share of the round trips that stalled behind lost segments, 0 to 1. */
  get ratio(): number {
    if (this.isCongested || this.#samples.length < LEAST_SAMPLES || this.#isStanding(LEAST_SAMPLES)) return 0;
    const { stalled, roundTrips } = this.reading;
    return stalled < LEAST_STALLS ? 0 : stalled / roundTrips;
  }

  /** What was counted, whether it was lost segments or a queue that they waited behind. */
  get reading(): StallReading {
    const stalled = this.#samples.filter(({ rttMs }) => this.#isStall(rttMs)).length;
    return { stalled, roundTrips: this.#samples.length };
  }

  /** The delay grows with what is sent, or did so lately. */
  get isCongested(): boolean {
    return this.#observedAtMs - this.#congestedAtMs < CONGESTED_FOR_MS;
  }

  /** Whether round trips should be measured more often for now: something was seen that needs a closer look. */
  get isSuspicious(): boolean {
    return this.#samples.some(({ rttMs }) => this.#isStall(rttMs));
  }

  /** Takes a round trip of the first socket. One that waited for this page's own loop did not wait for a segment. */
  observe({ sentMs, receivedMs: nowMs, wasLate }: Omit<PongTimes, "remoteMs">): void {
    if (wasLate) return;
    const rttMs = nowMs - sentMs;
    this.#observedAtMs = nowMs;
    while (this.#samples.length > 0 && nowMs - this.#samples[0]!.atMs > WINDOW_MS) this.#samples.shift();
    this.#samples.push({ atMs: nowMs, rttMs });
    const slice = this.#slices.at(-1);
    if (slice && nowMs < slice.untilMs) slice.leastMs = Math.min(slice.leastMs, rttMs);
    else this.#slices.push({ untilMs: nowMs + BASE_SLICE_MS, leastMs: rttMs });
    if (this.#slices.length > BASE_SLICES) this.#slices.shift();
    if (this.#isStanding(STANDING_SAMPLES)) this.#congestedAtMs = nowMs;
  }

  /** Even the shortest of the last round trips was long, and they did not end together. */
  #isStanding(count: number): boolean {
    const last = this.#samples.slice(-count);
    if (last.length < count || !last.every(({ rttMs }) => this.#isStall(rttMs))) return false;
    const together = last.filter((sample, index) => index > 0 && cameTogether(last[index - 1]!, sample));
    return together.length < HOLES_SHARE * (count - 1);
  }

  #isStall(rttMs: number): boolean {
    const baseMs = Math.min(...this.#slices.map(({ leastMs }) => leastMs));
    return rttMs > baseMs + Math.max(STALL_MS, baseMs * STALL_SHARE_OF_BASE);
  }
}

function cameTogether(before: Sample, sample: Sample): boolean {
  const arrivedApartMs = sample.atMs - before.atMs;
  const sentApartMs = arrivedApartMs - sample.rttMs + before.rttMs;
  return arrivedApartMs <= TOGETHER_MS && sentApartMs >= SENT_APART_MS;
}
