import { ConfigError } from "@paceline/protocol";
import type { SampledMoment } from "@paceline/netcode";
import type { Clock } from "@paceline/transport";
import type { Page } from "../browser/page.js";
import { Listeners } from "../listeners.js";

/** Ticks per second on the wire for a game without fixed steps. States are sampled at these ticks. */
export const TIME_TICK_HZ = 60;
/** A moment further from now is rejected. After a pause, the game catches up on at most this time. */
export const MAX_BEHIND_MS = 250;
/** So many moments in a row that are long over are a mistake of the game. Fewer may be its first frames. */
const MIN_LATE_CALLS = 10;
/** A frame that began longer ago is over: the page draws no frames at present, or slowly. */
const MAX_FRAME_MS = 50;
/** Two clocks of a page may differ by this much. */
const ROUNDING_MS = 1;
/** Tolerance as a share of a tick, because moments are sums of fractions of a millisecond. */
const ROUNDING_TICKS = 1e-6;
/** Values that a game wrote for an earlier moment are extrapolated to now by at most this time. */
const MAX_CONTINUED_MS = 50;
/** Limit of ticks sampled between two moments: receivers decode a state from three consecutive ticks. */
const MAX_SAMPLED_TICKS = 3;

/** A tick to publish. Its `share` is 0 at the moment that was published before, and 1 at the newest one. */
export interface PublishedTick extends SampledMoment {
  readonly tick: number;
  /** Moment of the tick, on the room's clock. */
  readonly atMs: number;
  /** True if a newer tick follows at once. */
  readonly isBetween: boolean;
}

interface GameTimeOptions {
  readonly clock: Clock;
  readonly page: Page | undefined;
  readonly tickHz: number;
  /** True if ticks are steps of the game: nothing is sampled between them. */
  readonly isStepped: boolean;
}

/**
 * Finds the moment of the values that the game has written, and the tick on the wire for that moment. Ticks
 * never go back, since peers drop states that are older than theirs.
 */
export class GameTime {
  /** Reports an impossible time that `advance` got, once for each kind of mistake. */
  readonly misfits = new Listeners<[string]>();
  readonly #options: GameTimeOptions;
  readonly tickHz: number;
  readonly #tickMs: number;
  readonly #reportedMisfits = new Set<string>();
  #originMs: number;
  /** Moments of the newest values and of the last published ones. */
  #writtenAtMs = -Infinity;
  #publishedAtMs = -Infinity;
  /** True if the game gives the moments. Otherwise the room does. */
  isDriven = false;
  /** The newest tick named by a packet, and the newest one with published states. They do not wrap. */
  #tick = 0;
  #publishedTick = 0;
  #isHeld = false;
  /** Start of the newest frame in which the game called `advance`. */
  #frameMs: number | undefined;
  /** Latest moment that the game has passed to `advance`. */
  #latestAtMs = -Infinity;
  /** Calls of `advance` in a row whose moment was long over. */
  #lateCalls = 0;
  #calledAtMs: number | undefined;
  /** Time that slow frames took and the game has not caught up with. Its moments may be so much older. */
  #lostMs = 0;
  /** True once a tick was moved onto the first moment of the game or of its loop. */
  #isAligned = false;

  constructor(options: GameTimeOptions) {
    this.#options = options;
    this.tickHz = options.tickHz;
    this.#tickMs = 1000 / options.tickHz;
    this.#originMs = options.clock.nowMs();
  }

  /** The newest tick, 32 bits and circular. */
  get tick(): number {
    if (!this.#isHeld && !this.isDriven) this.#tick = Math.max(this.#tick, this.#tickAt(this.#nowMs()));
    return this.#tick >>> 0;
  }

  /**
   * Returns when the page's current frame began. In Node, or between frames, returns the present time. A
   * frame counts only once, because some browsers report an old frame again and again to a loop of timers.
   */
  #takeFrame(): number {
    const nowMs = this.#nowMs();
    const { page } = this.#options;
    const startedAtMs = page && !page.isHidden ? page.frames?.startedAtMs() : undefined;
    if (startedAtMs === undefined || startedAtMs === this.#frameMs) return nowMs;
    this.#frameMs = startedAtMs;
    const agoMs = nowMs - startedAtMs;
    return agoMs >= 0 && agoMs <= MAX_FRAME_MS ? startedAtMs : nowMs;
  }

  /**
   * Returns the moment of a call of `advance`. An impossible one is reported once and replaced by the start
   * of the frame.
   */
  momentOf(atMs: number | undefined): number {
    const nowMs = this.#nowMs();
    this.#called(nowMs);
    if (atMs === undefined) return this.drive(this.#takeFrame());
    if (Math.abs(atMs - nowMs) > MAX_BEHIND_MS) {
      if (atMs > nowMs) this.#misfit("future", atMs);
      else this.#late(nowMs - atMs, atMs);
      return this.drive(this.#takeFrame());
    }
    this.#lateCalls = 0;
    this.#lostMs = 0;
    // The check uses the game's own moments: the room's may be later than the steps of the game's first
    // frame.
    if (atMs < this.#latestAtMs - ROUNDING_MS) this.#misfit("back", atMs);
    this.#latestAtMs = Math.max(atMs, this.#latestAtMs);
    return this.drive(atMs);
  }

  /**
   * Measures how slow this page is, or this process, by the time between two calls of `advance`. A game may catch
   * up step by step, so frames at the usual rate reduce the lost time by no more than they take.
   */
  #called(nowMs: number): void {
    const sinceMs = nowMs - (this.#calledAtMs ?? nowMs);
    this.#calledAtMs = nowMs;
    this.#lostMs = Math.max(0, this.#lostMs + (sinceMs > MAX_FRAME_MS ? sinceMs : -sinceMs));
  }

  /** Notes a moment that is long over. One that slow frames explain is no mistake of the game. */
  #late(behindMs: number, atMs: number): void {
    if (behindMs <= MAX_BEHIND_MS + this.#lostMs) this.#lateCalls = 0;
    else if (++this.#lateCalls >= MIN_LATE_CALLS) this.#misfit("past", atMs);
  }

  /** Moves the game to that moment, and returns it. A moment never goes back. */
  drive(atMs: number): number {
    this.isDriven = true;
    if (!this.#isAligned) this.#originMs = atMs - Math.max(this.#tick + 1, this.#tickAt(atMs)) * this.#tickMs;
    this.#isAligned = true;
    return Math.max(atMs, this.#writtenAtMs);
  }

  /** Ends the game's loop. The room gives the moments until the game does so again. */
  release(): void {
    this.isDriven = false;
    this.#isAligned = false;
  }

  /**
   * Yields the ticks that values of that moment reach: the ones nearest to now, oldest first. The tick stands
   * still until the caller asks for the next one, because states must name the same tick as their packets.
   *
   * @param isLast true if no newer values follow at once
   */
  *publish(atMs: number, isLast: boolean): Iterable<PublishedTick> {
    const newest = Math.max(this.#reach(atMs), this.#tick);
    if (newest === this.#publishedTick) return;
    const sinceMs = atMs - this.#publishedAtMs;
    const isMotion = !this.#options.isStepped && sinceMs > 0 && sinceMs <= MAX_BEHIND_MS;
    this.#isHeld = true;
    try {
      const oldest = isMotion ? Math.max(this.#publishedTick + 1, newest - MAX_SAMPLED_TICKS + 1) : newest;
      for (let tick = oldest; tick <= newest; tick++) {
        this.#tick = tick;
        const tickMs = this.#momentOfTick(tick);
        const share = isMotion ? (tickMs - this.#publishedAtMs) / sinceMs : 1;
        yield { tick: tick >>> 0, atMs: tickMs, share, sinceMs, isBetween: tick < newest || !isLast };
      }
    } finally {
      this.#isHeld = false;
      this.#publishedAtMs = atMs;
      this.#publishedTick = newest;
    }
  }

  /**
   * Returns the tick for which values of that moment are published: the one nearest to now, because receivers
   * assume that a state is as old as its packet. The values are continued to now only if frames come often
   * enough.
   */
  #reach(atMs: number): number {
    const frameMs = Math.max(0, atMs - this.#writtenAtMs);
    this.#writtenAtMs = Math.max(atMs, this.#writtenAtMs);
    if (this.#options.isStepped) return this.#tickAt(atMs);
    const behindMs = Math.max(0, Math.min(this.#nowMs() - atMs, frameMs, MAX_CONTINUED_MS));
    return this.#tickAt(atMs + behindMs + Math.min(frameMs, this.#tickMs) / 2);
  }

  #tickAt(atMs: number): number {
    return Math.floor((atMs - this.#originMs) / this.#tickMs + ROUNDING_TICKS);
  }

  #momentOfTick(tick: number): number {
    return this.#originMs + tick * this.#tickMs;
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #misfit(kind: "past" | "future" | "back", atMs: number): void {
    if (this.#reportedMisfits.has(kind)) return;
    this.#reportedMisfits.add(kind);
    const instead = "write room.advance() for this frame, or give the time of requestAnimationFrame, in ms";
    const nowMs = Math.round(this.#nowMs());
    if (kind === "back")
      return this.misfits.emit(`advance(${atMs}) goes back: it was ${this.#latestAtMs} before; ${instead}`);
    const isCounter = kind === "past" && Number.isInteger(atMs);
    const what = isCounter
      ? "looks like a count of steps"
      : kind === "past"
        ? "is long over"
        : "is far ahead";
    this.misfits.emit(`advance(${atMs}) ${what}, now is ${nowMs} ms: ${instead}`);
  }
}

/** Throws {@link ConfigError} for a value that is no time. */
export function assertMoment(atMs: unknown): asserts atMs is number | undefined {
  if (atMs === undefined || Number.isFinite(atMs)) return;
  const expected = "a time in ms, as requestAnimationFrame and performance.now give it, or nothing";
  throw new ConfigError("advance", atMs, expected);
}
