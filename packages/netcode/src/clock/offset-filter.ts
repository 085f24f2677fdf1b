/** Times of one ping, ms: sent and received by the local clock, the other two by the remote clock. */
export interface PingSample {
  readonly sentMs: number;
  readonly remoteReceivedMs: number;
  readonly remoteSentMs: number;
  readonly receivedMs: number;
}

interface Measured {
  readonly atMs: number;
  readonly rttMs: number;
  readonly offsetMs: number;
}

/** The filter's estimate from its samples. */
export interface FilteredOffset {
  /** Remote clock minus local clock, ms. */
  readonly offsetMs: number;
  /** Standard error of the offset, ms, for delays that are symmetric on average. */
  readonly errorMs: number;
}

const MAX_SAMPLES = 96;
/** Oldest sample, ms. Cheap clocks drift apart by 1.5 ms in this time (50 ppm). */
const MAX_AGE_MS = 30_000;
/** Share of samples to use: all while delays scatter evenly, the fastest quarter if queues delay some. */
const EVEN_SHARE = 1;
const QUEUED_SHARE = 0.25;
const QUEUED_SKEW = 0.6;
/** Offsets farther from the median than this many median deviations are outliers. */
const OUTLIER_DEVIATIONS = 4;

/**
 * Estimates the offset between two clocks from round trips (Cristian 1989; NTP's four time stamps). A wait in
 * one direction shifts the offset by half of the wait. So if round trips indicate a queue, only the shortest
 * are used. Outliers are dropped, the rest averaged. The average is better than the best ping: if delays
 * scatter evenly, the smallest round trip does not show how its two halves differ.
 */
export class OffsetFilter {
  /** Samples, the shortest round trip first: to sort all of them at each pong costs twice as much. */
  #byRtt: Measured[] = [];
  /** Number of samples since the beginning, or since `clear`. */
  taken = 0;

  /** Smallest round trip in the window, ms; undefined before the first sample. */
  get minRttMs(): number | undefined {
    return this.#byRtt[0]?.rttMs;
  }

  clear(): void {
    this.#byRtt = [];
    this.taken = 0;
  }

  /**
   * Adds a sample. Returns false if it is impossible: an answer before its question, or a time that is not
   * finite.
   */
  add({ sentMs, remoteReceivedMs, remoteSentMs, receivedMs }: PingSample): boolean {
    const rttMs = receivedMs - sentMs - (remoteSentMs - remoteReceivedMs);
    const offsetMs = (remoteReceivedMs - sentMs + (remoteSentMs - receivedMs)) / 2;
    // Clocks with a step of 1 ms may yield a slightly negative round trip.
    if (!(rttMs >= -2) || !(remoteSentMs >= remoteReceivedMs) || !Number.isFinite(offsetMs)) return false;
    this.taken += 1;
    const byRtt = this.#byRtt.filter(({ atMs }) => receivedMs - atMs <= MAX_AGE_MS && atMs <= receivedMs);
    if (byRtt.length === MAX_SAMPLES) {
      const oldest = byRtt.reduce((first, each) => (each.atMs < first.atMs ? each : first));
      byRtt.splice(byRtt.indexOf(oldest), 1);
    }
    let at = byRtt.length;
    while (at > 0 && byRtt[at - 1]!.rttMs > rttMs) at -= 1;
    byRtt.splice(at, 0, { atMs: receivedMs, rttMs, offsetMs });
    this.#byRtt = byRtt;
    return true;
  }

  result(): FilteredOffset | undefined {
    const byRtt = this.#byRtt;
    if (byRtt.length === 0) return undefined;
    const offsets = new Float64Array(keptCount(byRtt));
    for (let index = 0; index < offsets.length; index++) offsets[index] = byRtt[index]!.offsetMs;
    const kept = withoutOutliers(offsets.sort());
    const offsetMs = kept.reduce((sum, offset) => sum + offset, 0) / kept.length;
    const squares = kept.reduce((sum, offset) => sum + (offset - offsetMs) ** 2, 0);
    const deviationMs = kept.length > 1 ? Math.sqrt(squares / (kept.length - 1)) : byRtt[0]!.rttMs / 2;
    return { offsetMs, errorMs: deviationMs / Math.sqrt(kept.length) };
  }
}

/** Returns how many of the samples, sorted by round trip, to use. */
function keptCount(byRtt: readonly Measured[]): number {
  const at = (share: number): number => byRtt[Math.floor((byRtt.length - 1) * share)]!.rttMs;
  const below = at(0.5) - at(0);
  // The ratio is about 0.3 for even (normal) delays, and about 1 for the exponential waits of a queue.
  const isQueued = at(0.75) - at(0.5) > QUEUED_SKEW * below;
  return Math.max(
    Math.min(4, byRtt.length),
    Math.ceil(byRtt.length * (isQueued ? QUEUED_SHARE : EVEN_SHARE)),
  );
}

function withoutOutliers(sorted: Float64Array): Float64Array {
  const middle = medianOf(sorted);
  const deviation = medianOf(sorted.map((value) => Math.abs(value - middle)).sort());
  const most = OUTLIER_DEVIATIONS * deviation + 1e-9;
  let [from, to] = [0, sorted.length];
  while (middle - sorted[from]! > most) from += 1;
  while (sorted[to - 1]! - middle > most) to -= 1;
  return sorted.subarray(from, to);
}

function medianOf(sorted: Float64Array): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
