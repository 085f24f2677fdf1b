import { ConfigError } from "@paceline/protocol";
import type { SampledMoment } from "@paceline/netcode";
import type { Clock } from "@paceline/transport";
import type { Page } from "../browser/page.js";

/** Ticks per second on the wire where the game names no steps: states are sampled at their moments. */
export const TIME_TICK_HZ = 60;
/** A moment that is further from now is none that values were written for. After a pause no more than this is made up for. */
export const MAX_BEHIND_MS = 250;
/** A frame that has begun longer ago is over: the page draws none, or not at the moment. */
const MAX_FRAME_MS = 50;
/** Clocks of a page may disagree by so much. */
const ROUNDING_MS = 1;
/** Share of a tick: moments are sums of fractions of a millisecond. */
const ROUNDING_TICKS = 1e-6;
/** Values that a game wrote for an earlier moment are extrapolated to now, by at most this time. */
const MAX_CONTINUED_MS = 50;
/** Receivers decode a state from three ticks in a row: between two moments no more than these are sampled. */
const MAX_SAMPLED_TICKS = 3;

/** A tick that was reached, and where it lies between the moment published before (share 0) and the newest one (1). */
export interface ReachedTick extends SampledMoment {
  readonly tick: number;
  /** Moment of the tick, on the room's clock. */
  readonly atMs: number;
  /** A newer one follows at once. */
  readonly isBetween: boolean;
}

interface GameTimeOptions {
  readonly clock: Clock;
  readonly page: Page | undefined;
  readonly tickHz: number;
  /** Ticks are steps of the game: nothing is sampled between them. */
  readonly isStepped: boolean;
  /** A call of `advance` gave a time that cannot be meant; once of each kind. */
  readonly onMisfit: (message: string) => void;
}

/**
 * Which moment the values belong to that the game has written, and which of the wire's ticks that is. Ticks never go
 * back, since peers drop what is older than what they have.
 */
export class GameTime {
  readonly #options: GameTimeOptions;
  readonly tickHz: number;
  readonly #tickMs: number;
  readonly #told = new Set<string>();
  #originMs: number;
  /** The moment of the newest values, and of those that were published last. */
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #publishedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the game says which moment it is; otherwise the room does. */
  isDriven = false;
  /** The newest that a packet has named, and that states were published of; they do not wrap. */
  #tick = 0;
  #publishedTick = 0;
  #isHeld = false;
  /** The start of the newest frame that a call of `advance` was in. */
  #frameMs: number | undefined;
  /** The latest moment that the game has given to `advance`. */
  #givenAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the first moment of the game, or of its loop, has been made a tick's. */
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
   * When the page's current frame began; in Node, and between the frames of a page that draws none: now. A frame counts
   * once: a loop of timers would find the same one again and again, in some browsers for long.
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

  /** The moment of a call of `advance`. An impossible one is reported once and replaced by the start of the frame. */
  momentOf(atMs: number | undefined): number {
    const nowMs = this.#nowMs();
    if (atMs === undefined) return this.drive(this.#takeFrame());
    if (Math.abs(atMs - nowMs) > MAX_BEHIND_MS) {
      this.#misfit(atMs < nowMs ? "past" : "future", atMs);
      return this.drive(this.#takeFrame());
    }
    // The room's own moments, before the game gave one, may be later than the steps of its first frame.
    if (atMs < this.#givenAtMs - ROUNDING_MS) this.#misfit("back", atMs);
    this.#givenAtMs = Math.max(atMs, this.#givenAtMs);
    return this.drive(atMs);
  }

  /** The game is at that moment, or where it was if that is later. */
  drive(atMs: number): number {
    this.isDriven = true;
    if (!this.#isAligned) this.#originMs = atMs - Math.max(this.#tick + 1, this.#tickAt(atMs)) * this.#tickMs;
    this.#isAligned = true;
    return Math.max(atMs, this.#writtenAtMs);
  }

  /** The game's loop has ended: until the game says otherwise the moments are the room's. */
  release(): void {
    this.isDriven = false;
    this.#isAligned = false;
  }

  /**
   * Names the ticks that values of that moment reach, oldest first: those nearest to now. Until the caller asks for the
   * next one, the tick stands still: states and the packets that carry them must name the same.
   *
   * @param isLast whether no newer values follow at once
   */
  *publish(atMs: number, isLast: boolean): Iterable<ReachedTick> {
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
   * The tick that values of that moment are published for. Receivers take it that a state is of the time when it left: so it
   * is the tick nearest to now, as far as frames come often enough to continue the values so far.
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
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    const { onMisfit } = this.#options;
    const instead = "write room.advance() for this frame, or give the time of requestAnimationFrame, in ms";
    const nowMs = Math.round(this.#nowMs());
    if (kind === "back")
      return onMisfit(`advance(${atMs}) goes back: it was ${this.#givenAtMs} before; ${instead}`);
    const isCounter = kind === "past" && Number.isInteger(atMs);
    const what = isCounter
      ? "looks like a count of steps"
      : kind === "past"
        ? "is long over"
        : "is far ahead";
    onMisfit(`advance(${atMs}) ${what}, now is ${nowMs} ms: ${instead}`);
  }
}

/** Throws {@link ConfigError} for what is no time at all. */
export function assertMoment(atMs: unknown): asserts atMs is number | undefined {
  if (atMs === undefined || Number.isFinite(atMs)) return;
  const expected = "a time in ms, as requestAnimationFrame and performance.now give it, or nothing";
  throw new ConfigError({ field: "advance", value: atMs, expected });
}
