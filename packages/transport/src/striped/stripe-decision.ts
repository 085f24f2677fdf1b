/** How many sockets a session should have, and why: words for people. */
export interface StripeWish {
  readonly sockets: 1 | 2 | 3;
  readonly reason: string;
}

interface Sample {
  readonly atMs: number;
  readonly rttMs: number;
}

/** Round trips of so long are looked at. */
const WINDOW_MS = 10_000;
const LEAST_SAMPLES = 8;
/** Two in ten seconds may be chance. */
const LEAST_STALLS = 3;
/** A round trip this much above the base waited behind a lost segment, or in a queue. */
const STALL_MS = 60;
const STALL_SHARE_OF_BASE = 0.5;
/** Share of round trips that stalled, from which states go over two, or three sockets. */
const TWO_FROM = 0.1;
const THREE_FROM = 0.2;
/** A path that has not stalled more often than this for so long is clean again. */
const CLEAN_BELOW = 0.03;
const CLEAN_FOR_MS = 30_000;
/** After congestion more sockets are not thought of for so long. */
const CONGESTED_FOR_MS = 15_000;
/** The base is the least round trip of so many slices of time: a route may become longer for good. */
const BASE_SLICE_MS = 10_000;
const BASE_SLICES = 12;

/**
 * Decides from the round trips of an ordered link whether its states should be striped over several sockets. What tells
 * loss from congestion: where segments are lost, some round trips take long and others do not; where a queue stands,
 * even the shortest ones take longer than they did. Only the first is helped by more sockets.
 *
 * More sockets come at once when they are justified, and go after half a minute without stalls. Pure: time comes in.
 */
export class StripeDecision {
  readonly #samples: Sample[] = [];
  readonly #slices: { readonly untilMs: number; leastMs: number }[] = [];
  #wish: StripeWish = { sockets: 1, reason: "no stalls were measured" };
  #stalledAtMs = Number.NEGATIVE_INFINITY;
  #congestedAtMs = Number.NEGATIVE_INFINITY;

  get wish(): StripeWish {
    return this.#wish;
  }

  /** Whether round trips should be measured more often for now: something was seen that needs a closer look. */
  get isSuspicious(): boolean {
    return this.#wish.sockets === 1 && this.#samples.some(({ rttMs }) => this.#isStall(rttMs));
  }

  /** Takes a round trip of the first socket. */
  observe(rttMs: number, nowMs: number): StripeWish {
    this.#forget(nowMs);
    this.#samples.push({ atMs: nowMs, rttMs });
    const slice = this.#slices.at(-1);
    if (slice && nowMs < slice.untilMs) slice.leastMs = Math.min(slice.leastMs, rttMs);
    else this.#slices.push({ untilMs: nowMs + BASE_SLICE_MS, leastMs: rttMs });
    if (this.#slices.length > BASE_SLICES) this.#slices.shift();
    return this.#review(nowMs);
  }

  #review(nowMs: number): StripeWish {
    if (this.#isCongested()) this.#congestedAtMs = nowMs;
    if (nowMs - this.#congestedAtMs < CONGESTED_FOR_MS) {
      const reason = "the delay grows with what is sent: more sockets would not help";
      return (this.#wish = { sockets: 1, reason });
    }
    if (this.#samples.length < LEAST_SAMPLES) return this.#wish;
    const stalls = this.#samples.filter(({ rttMs }) => this.#isStall(rttMs)).length;
    const share = stalls / this.#samples.length;
    if (share >= CLEAN_BELOW) this.#stalledAtMs = nowMs;
    const sockets = stalls < LEAST_STALLS ? 1 : share >= THREE_FROM ? 3 : share >= TWO_FROM ? 2 : 1;
    if (sockets > this.#wish.sockets) {
      const percent = Math.round(share * 100);
      const reason = `${percent} % of the round trips stalled behind lost segments: states alternate`;
      this.#wish = { sockets, reason };
    } else if (this.#wish.sockets > 1 && nowMs - this.#stalledAtMs > CLEAN_FOR_MS) {
      this.#wish = { sockets: 1, reason: `no stalls for ${CLEAN_FOR_MS / 1000} s` };
    }
    return this.#wish;
  }

  get #baseMs(): number {
    return Math.min(...this.#slices.map(({ leastMs }) => leastMs));
  }

  #isStall(rttMs: number): boolean {
    const base = this.#baseMs;
    return rttMs > base + Math.max(STALL_MS, base * STALL_SHARE_OF_BASE);
  }

  /** Even the shortest of the last round trips was long. */
  #isCongested(): boolean {
    const last = this.#samples.slice(-LEAST_SAMPLES);
    return last.length === LEAST_SAMPLES && last.every(({ rttMs }) => this.#isStall(rttMs));
  }

  #forget(nowMs: number): void {
    while (this.#samples.length > 0 && nowMs - this.#samples[0]!.atMs > WINDOW_MS) this.#samples.shift();
  }
}
