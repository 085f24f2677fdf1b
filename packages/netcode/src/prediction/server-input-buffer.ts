/** Input of the server's simulation for one tick. */
export interface TakenInput<Input> {
  readonly input: Input;
  /** True: the tick's own input is missing, and the last received one replaces it. */
  readonly isRepeated: boolean;
}

/** Limit of ticks whose inputs wait, a power of two. Inputs further ahead are dropped. */
export const INPUT_CAPACITY_TICKS = 64;
/** Tolerated share of late inputs. The buffer requests the lead that keeps to it. */
const LATE_SHARE = 0.01;
/** Number of margins (ticks that inputs arrive early) kept: the last two seconds at 60 ticks per second. */
const KEPT_MARGINS = 120;
/** Steps after a pause of the server that may read inputs which arrived during it. */
const STEPS_AFTER_PAUSE = 2;
/** Reserve beyond the need for jitter, ticks. */
const SPARE_TICKS = 1;

/**
 * The inputs of one player on the server. Duplicates are ignored; late inputs are counted and dropped. The
 * buffer asks the client to run a little faster or slower, so that few inputs are late.
 */
export class ServerInputBuffer<Input> {
  /** Waiting inputs and their ticks, at the index tick modulo capacity. */
  readonly #inputs: (Input | undefined)[] = [];
  readonly #ticks: (number | undefined)[] = [];
  /** The newest margins, as a ring. */
  readonly #margins = new Int16Array(KEPT_MARGINS);
  #marginCount = 0;
  /**
   * Number of inputs per margin, from the smallest possible margin on. A histogram needs no sorting, and the
   * server reads it every tick.
   */
  readonly #histogram = new Uint8Array(2 * INPUT_CAPACITY_TICKS + 1);
  /** Index of the smallest margin in the histogram. */
  #lowestIndex = 2 * INPUT_CAPACITY_TICKS;
  #lastTaken: number | undefined;
  #last: Input;
  /** Number of inputs that arrived too late. */
  late = 0;
  /** Number of inputs that arrived too far ahead of their tick. */
  early = 0;
  /** Margins are not noted before so many steps. */
  #stepsUntilNoted = 0;

  /** @param idle input of a player that has not sent any yet */
  constructor(idle: Input) {
    this.#last = idle;
  }

  /** Number of inputs that wait for their tick. */
  get waiting(): number {
    return this.#ticks.filter((tick) => tick !== undefined).length;
  }

  /** Adds a packet's inputs, duplicates included: those of consecutive ticks up to `newest`. */
  receive(newest: number, inputs: readonly Input[]): void {
    const first = newest - inputs.length + 1;
    for (let index = Math.max(0, -first); index < inputs.length; index++) {
      const tick = first + index;
      const isLate = this.#lastTaken !== undefined && tick <= this.#lastTaken;
      const place = placeOf(tick);
      if (isLate) {
        // A late repetition is not a late input.
        if (tick === newest) this.late += 1;
      } else if (tick > this.#horizon(tick)) this.early += 1;
      else if (this.#ticks[place] !== tick) {
        this.#ticks[place] = tick;
        this.#inputs[place] = inputs[index];
      }
    }
    if (inputs.length > 0 && this.#lastTaken !== undefined) this.#noteMargin(newest - this.#lastTaken - 1);
  }

  /** Returns the input for `tick` and moves on to the next tick. */
  take(tick: number): TakenInput<Input> {
    this.#lastTaken = tick;
    if (this.#stepsUntilNoted > 0) this.#stepsUntilNoted -= 1;
    const place = placeOf(tick);
    const isThere = this.#ticks[place] === tick;
    if (isThere) this.#last = this.#inputs[place]!;
    this.#ticks[place] = undefined;
    // Inputs that wait here for a whole round outlive V8's young generation, which copies them: in a room of
    // 32 players that took 2.5 ms a second.
    this.#inputs[place] = undefined;
    return { input: this.#last, isRepeated: !isThere };
  }

  /**
   * Ticks that the client should be further ahead (positive: run faster for a while). 0 before there are
   * enough samples. Send it with states.
   */
  get leadErrorTicks(): number {
    const kept = Math.min(this.#marginCount, KEPT_MARGINS);
    if (kept < KEPT_MARGINS / 4) return 0;
    let left = Math.floor(kept * LATE_SHARE);
    let smallest = this.#lowestIndex;
    while (left >= this.#histogram[smallest]!) left -= this.#histogram[smallest++]!;
    return SPARE_TICKS - (smallest - INPUT_CAPACITY_TICKS);
  }

  /**
   * Notes that the server has left out so many steps. The player, who made its inputs meanwhile, is that much
   * farther ahead. The inputs that arrived during the pause say nothing about its line.
   */
  stoodStill(ticks: number): void {
    this.#histogram.fill(0);
    const kept = Math.min(this.#marginCount, KEPT_MARGINS);
    for (let index = 0; index < kept; index++) {
      const margin = boundedMargin(this.#margins[index]! + ticks);
      this.#margins[index] = margin;
      this.#histogram[margin + INPUT_CAPACITY_TICKS]! += 1;
    }
    const lowest = this.#histogram.findIndex((count) => count > 0);
    if (lowest >= 0) this.#lowestIndex = lowest;
    this.#stepsUntilNoted = STEPS_AFTER_PAUSE;
  }

  #noteMargin(ticks: number): void {
    if (this.#stepsUntilNoted > 0) return;
    const margin = boundedMargin(ticks);
    const at = this.#marginCount % KEPT_MARGINS;
    if (this.#marginCount >= KEPT_MARGINS) this.#histogram[this.#margins[at]! + INPUT_CAPACITY_TICKS]! -= 1;
    this.#margins[at] = margin;
    this.#marginCount += 1;
    this.#histogram[margin + INPUT_CAPACITY_TICKS]! += 1;
    this.#lowestIndex = Math.min(this.#lowestIndex, margin + INPUT_CAPACITY_TICKS);
    while (this.#histogram[this.#lowestIndex] === 0) this.#lowestIndex += 1;
  }

  /** Returns the last acceptable tick. Before the first `take`, inputs may start at any tick. */
  #horizon(tick: number): number {
    let base = this.#lastTaken ?? tick;
    if (this.#lastTaken === undefined)
      for (const waiting of this.#ticks) base = Math.min(base, waiting ?? tick);
    return base + INPUT_CAPACITY_TICKS;
  }
}

function boundedMargin(ticks: number): number {
  return Math.max(-INPUT_CAPACITY_TICKS, Math.min(INPUT_CAPACITY_TICKS, ticks));
}

function placeOf(tick: number): number {
  return tick & (INPUT_CAPACITY_TICKS - 1);
}
