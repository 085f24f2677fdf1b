import { ConfigError } from "@paceline/protocol";
import type { TickInput } from "./input-buffer.js";

/** Number of inputs that a server keeps ready, and its tolerance of late ones. */
export interface ServerInputBufferOptions {
  /** Inputs of this many ticks may wait; ticks further ahead are refused. */
  readonly capacity?: number;
  /** Share of inputs that may come too late: the buffer asks to be kept as full as that needs. */
  readonly lateShare?: number;
}

/** Input of the server's simulation for one tick. */
export interface TakenInput<Input> {
  readonly input: Input;
  /** True: the tick's own input is not there; this is the last one that was. */
  readonly isRepeated: boolean;
}

/** Margins that say how early inputs come: the last two seconds at 60 ticks per second. */
const KEPT_MARGINS = 120;
/** On top of what jitter needs: one tick. */
const SPARE_TICKS = 1;

/**
 * The inputs of one player on the server. Inputs that come more than once count once; those that come too late are
 * counted and dropped, and instead of dropping more the buffer asks the client to run a little faster or slower.
 */
export class ServerInputBuffer<Input> {
  readonly #capacity: number;
  readonly #lateShare: number;
  /** The inputs that wait, and their ticks, in the place that the tick modulo the capacity names. */
  readonly #inputs: Input[] = [];
  readonly #ticks: (number | undefined)[] = [];
  /** The newest margins; the next one takes the place of the oldest. */
  readonly #margins = new Int16Array(KEPT_MARGINS);
  #noted = 0;
  /** Counts of the margins by size, from the smallest possible on, since every tick asks for each player. */
  readonly #counted: Uint8Array;
  /** No margin is smaller, as an index of the counts. */
  #lowest: number;
  #lastTaken: number | undefined;
  #last: Input;
  #late = 0;
  #missing = 0;
  #refused = 0;

  /** @param idle what a player does that has sent nothing yet */
  constructor(idle: Input, { capacity = 64, lateShare = 0.01 }: ServerInputBufferOptions = {}) {
    if (!Number.isInteger(capacity) || capacity < 2 || capacity > 1024) {
      throw new ConfigError({ field: "capacity", value: capacity, expected: "2 to 1024 ticks" });
    }
    if (!(lateShare > 0 && lateShare < 1)) {
      throw new ConfigError({ field: "lateShare", value: lateShare, expected: "above 0, below 1" });
    }
    this.#last = idle;
    this.#capacity = capacity;
    this.#counted = new Uint8Array(2 * capacity + 1);
    this.#lowest = 2 * capacity;
    this.#lateShare = lateShare;
  }

  /** Inputs that came after their tick, ticks that had none, inputs that were too far ahead. */
  get counts(): { readonly late: number; readonly missing: number; readonly refused: number } {
    return { late: this.#late, missing: this.#missing, refused: this.#refused };
  }

  /** A packet's inputs, redundant ones among them. */
  receive(inputs: readonly TickInput<Input>[]): void {
    const newest = inputs.at(-1);
    for (const { tick, input } of inputs) {
      const isLate = this.#lastTaken !== undefined && tick <= this.#lastTaken;
      if (isLate) {
        // A repetition of what was in time is no late input.
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

  /** The input to simulate `tick` with; the buffer goes on to the next. */
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
   * By how many ticks the client should be further ahead (positive: run faster for a while) than it is; 0 before
   * enough has come to tell. Send it along with states.
   */
  get leadErrorTicks(): number {
    const kept = Math.min(this.#noted, KEPT_MARGINS);
    if (kept < KEPT_MARGINS / 4) return 0;
    let left = Math.floor(kept * this.#lateShare);
    let smallest = this.#lowest;
    while (left >= this.#counted[smallest]!) left -= this.#counted[smallest++]!;
    return SPARE_TICKS - (smallest - this.#capacity);
  }

  #noteMargin(ticks: number): void {
    if (!Number.isFinite(ticks)) return;
    const margin = Math.max(-this.#capacity, Math.min(this.#capacity, Math.trunc(ticks)));
    const at = this.#noted % KEPT_MARGINS;
    if (this.#noted >= KEPT_MARGINS) this.#counted[this.#margins[at]! + this.#capacity]! -= 1;
    this.#margins[at] = margin;
    this.#noted += 1;
    this.#counted[margin + this.#capacity]! += 1;
    this.#lowest = Math.min(this.#lowest, margin + this.#capacity);
    while (this.#counted[this.#lowest] === 0) this.#lowest += 1;
  }

  /** Before the first tick was taken any tick may come first; its neighbours within the capacity follow. */
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
