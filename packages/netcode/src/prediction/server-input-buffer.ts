import { ConfigError } from "@paceline/protocol";
import type { TickInput } from "./input-buffer.js";

/** Settings of {@link ServerInputBuffer}. */
export interface ServerInputBufferOptions {
  /** Most ticks whose inputs may wait; default 64. Inputs further ahead are refused. */
  readonly capacity?: number;
  /** Tolerated share of late inputs; default 0.01. The buffer requests the lead that keeps to it. */
  readonly lateShare?: number;
}

/** Input of the server's simulation for one tick. */
export interface TakenInput<Input> {
  readonly input: Input;
  /** True: the tick's own input is missing, and the last received one replaces it. */
  readonly isRepeated: boolean;
}

/** Number of margins (ticks that inputs arrive early) kept: the last two seconds at 60 ticks per second. */
const KEPT_MARGINS = 120;
/** Reserve beyond the need for jitter, ticks. */
const SPARE_TICKS = 1;

/**
 * The inputs of one player on the server. Duplicates are ignored; late inputs are counted and dropped. The
 * buffer asks the client to run a little faster or slower, so that few inputs are late.
 */
export class ServerInputBuffer<Input> {
  readonly #capacity: number;
  readonly #lateShare: number;
  /** Waiting inputs and their ticks, at the index tick modulo capacity. */
  readonly #inputs: Input[] = [];
  readonly #ticks: (number | undefined)[] = [];
  /** The newest margins, as a ring. */
  readonly #margins = new Int16Array(KEPT_MARGINS);
  #marginCount = 0;
  /**
   * Number of inputs per margin, from the smallest possible margin on. A histogram needs no sorting, and the
   * server reads it every tick.
   */
  readonly #histogram: Uint8Array;
  /** Index of the smallest margin in the histogram. */
  #lowestIndex: number;
  #lastTaken: number | undefined;
  #last: Input;
  #late = 0;
  #missing = 0;
  #refused = 0;

  /** @param idle input of a player that has not sent any yet */
  constructor(idle: Input, { capacity = 64, lateShare = 0.01 }: ServerInputBufferOptions = {}) {
    if (!Number.isInteger(capacity) || capacity < 2 || capacity > 1024) {
      throw new ConfigError("capacity", capacity, "2 to 1024 ticks");
    }
    if (!(lateShare > 0 && lateShare < 1)) throw new ConfigError("lateShare", lateShare, "above 0, below 1");
    this.#last = idle;
    this.#capacity = capacity;
    this.#histogram = new Uint8Array(2 * capacity + 1);
    this.#lowestIndex = 2 * capacity;
    this.#lateShare = lateShare;
  }

  /** Numbers of late inputs, of ticks without input, and of inputs too far ahead. */
  get counts(): { readonly late: number; readonly missing: number; readonly refused: number } {
    return { late: this.#late, missing: this.#missing, refused: this.#refused };
  }

  /** Adds a packet's inputs, duplicates included. */
  receive(inputs: readonly TickInput<Input>[]): void {
    const newest = inputs.at(-1);
    for (const { tick, input } of inputs) {
      const isLate = this.#lastTaken !== undefined && tick <= this.#lastTaken;
      if (isLate) {
        // A late repetition is not a late input.
        if (tick === newest?.tick) this.#late += 1;
      } else if (!Number.isSafeInteger(tick) || tick > this.#horizon(tick)) this.#refused += 1;
      else if (this.#ticks[this.#placeOf(tick)] !== tick) {
        const place = this.#placeOf(tick);
        this.#ticks[place] = tick;
        this.#inputs[place] = input;
      }
    }
    if (newest && this.#lastTaken !== undefined) this.#noteMargin(newest.tick - this.#lastTaken - 1);
  }

  /** Returns the input for `tick` and moves on to the next tick. */
  take(tick: number): TakenInput<Input> {
    this.#lastTaken = tick;
    const place = this.#placeOf(tick);
    const isThere = this.#ticks[place] === tick;
    if (isThere) this.#last = this.#inputs[place]!;
    else this.#missing += 1;
    this.#ticks[place] = undefined;
    return { input: this.#last, isRepeated: !isThere };
  }

  /**
   * Ticks that the client should be further ahead (positive: run faster for a while). 0 before there are
   * enough samples. Send it with states.
   */
  get leadErrorTicks(): number {
    const kept = Math.min(this.#marginCount, KEPT_MARGINS);
    if (kept < KEPT_MARGINS / 4) return 0;
    let left = Math.floor(kept * this.#lateShare);
    let smallest = this.#lowestIndex;
    while (left >= this.#histogram[smallest]!) left -= this.#histogram[smallest++]!;
    return SPARE_TICKS - (smallest - this.#capacity);
  }

  #noteMargin(ticks: number): void {
    if (!Number.isFinite(ticks)) return;
    const margin = Math.max(-this.#capacity, Math.min(this.#capacity, Math.trunc(ticks)));
    const at = this.#marginCount % KEPT_MARGINS;
    if (this.#marginCount >= KEPT_MARGINS) this.#histogram[this.#margins[at]! + this.#capacity]! -= 1;
    this.#margins[at] = margin;
    this.#marginCount += 1;
    this.#histogram[margin + this.#capacity]! += 1;
    this.#lowestIndex = Math.min(this.#lowestIndex, margin + this.#capacity);
    while (this.#histogram[this.#lowestIndex] === 0) this.#lowestIndex += 1;
  }

  /** Returns the last acceptable tick. Before the first `take`, inputs may start at any tick. */
  #horizon(tick: number): number {
    let base = this.#lastTaken ?? tick;
    if (this.#lastTaken === undefined)
      for (const waiting of this.#ticks) base = Math.min(base, waiting ?? tick);
    return base + this.#capacity;
  }

  #placeOf(tick: number): number {
    const place = tick % this.#capacity;
    return place < 0 ? place + this.#capacity : place;
  }
}
