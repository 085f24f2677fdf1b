import { HEADING } from "./trace.js";

/** Frames per second of every receiver. */
export const FRAME_HZ = 60;
/** Distance by which a step between two frames must stand out to be a visible jump. */
const JUMP_M = 0.3;
/** Frames after a jump of the truth in which jumps do not count. */
const TRUTH_JUMP_FRAMES = 30;
/** Decay per frame of the longest true step; it halves in about half a second. */
const TRUE_STEP_FADES = 0.98;

/** One system's figures for one trace, named like in BENCH.md. */
export interface MotionFigures {
  readonly positionErrorRmsM: number;
  readonly positionErrorP95M: number;
  readonly positionErrorMaxM: number;
  readonly headingErrorRmsDeg: number;
  readonly headingErrorP95Deg: number;
  readonly headingErrorMaxDeg: number;
  readonly jerkRatioRms: number;
  readonly jerkRatioP95: number;
  readonly jumpsPerMinute: number;
}

/** Collects the shown and the true pose of each frame. */
export class Measures {
  readonly #positionErrors: number[] = [];
  readonly #headingErrors: number[] = [];
  readonly #shownJerks: number[] = [];
  readonly #trueJerks: number[] = [];
  #jumps = 0;
  readonly #shown = new LastRows();
  readonly #truth = new LastRows();
  #framesSinceTrueJump = Infinity;
  #longestTrueStepM = 0;

  get frames(): number {
    return this.#positionErrors.length;
  }

  /** Starts a new appearance: its frames do not continue those before. */
  begin(): void {
    this.#shown.clear();
    this.#truth.clear();
    this.#framesSinceTrueJump = Infinity;
    this.#longestTrueStepM = 0;
  }

  add(shown: Float64Array, truth: Float64Array): void {
    this.#positionErrors.push(distance(shown, truth));
    const turn = shown[HEADING]! - truth[HEADING]!;
    this.#headingErrors.push(Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn))));
    this.#shown.push(shown);
    this.#truth.push(truth);
    if (!this.#shown.isFull) return;
    this.#countJump();
    this.#shownJerks.push(this.#shown.thirdDifference() * FRAME_HZ ** 3);
    this.#trueJerks.push(this.#truth.thirdDifference() * FRAME_HZ ** 3);
  }

  figures(): MotionFigures {
    const errors = sorted(this.#positionErrors);
    const headings = sorted(this.#headingErrors);
    const shown = sorted(this.#shownJerks);
    const truth = sorted(this.#trueJerks);
    return {
      positionErrorRmsM: rms(errors),
      positionErrorP95M: percentile(errors, 0.95),
      positionErrorMaxM: errors.at(-1) ?? NaN,
      headingErrorRmsDeg: degrees(rms(headings)),
      headingErrorP95Deg: degrees(percentile(headings, 0.95)),
      headingErrorMaxDeg: degrees(headings.at(-1) ?? NaN),
      jerkRatioRms: rms(shown) / rms(truth),
      jerkRatioP95: percentile(shown, 0.95) / percentile(truth, 0.95),
      jumpsPerMinute: this.#jumps / (this.frames / FRAME_HZ / 60),
    };
  }

  /**
   * Counts a jump at the frame before the last. Its step is 0.3 m longer than the longest recent step of the
   * truth, or differs
   * by as much from both the step before and the step after. In a bend it differs from only one of them.
   */
  #countJump(): void {
    this.#framesSinceTrueJump += 1;
    if (this.#truth.outOfLine() > JUMP_M) this.#framesSinceTrueJump = 0;
    this.#longestTrueStepM = Math.max(this.#truth.middleStep(), this.#longestTrueStepM * TRUE_STEP_FADES);
    if (this.#framesSinceTrueJump <= TRUTH_JUMP_FRAMES) return;
    const isLong = this.#shown.middleStep() > this.#longestTrueStepM + JUMP_M;
    if (isLong || this.#shown.outOfLine() > JUMP_M) this.#jumps += 1;
  }
}

/** The positions of the last four frames, oldest first. */
class LastRows {
  readonly #rows = new Float64Array(12);
  #count = 0;

  get isFull(): boolean {
    return this.#count >= 4;
  }

  clear(): void {
    this.#count = 0;
  }

  push(row: Float64Array): void {
    this.#rows.copyWithin(0, 3);
    for (let axis = 0; axis < 3; axis++) this.#rows[9 + axis] = row[axis]!;
    this.#count += 1;
  }

  /** Returns the length of the middle one of the three steps, m. */
  middleStep(): number {
    return this.#length((at) => this.#rows[6 + at]! - this.#rows[3 + at]!);
  }

  /** Returns the difference of the middle step from its neighbours, m: the smaller of the two. */
  outOfLine(): number {
    const before = this.#length((at) => this.#rows[6 + at]! - 2 * this.#rows[3 + at]! + this.#rows[at]!);
    const after = this.#length((at) => this.#rows[9 + at]! - 2 * this.#rows[6 + at]! + this.#rows[3 + at]!);
    return Math.min(before, after);
  }

  thirdDifference(): number {
    const rows = this.#rows;
    return this.#length((at) => rows[9 + at]! - 3 * rows[6 + at]! + 3 * rows[3 + at]! - rows[at]!);
  }

  #length(component: (axis: number) => number): number {
    const [x, y, z] = [component(0), component(1), component(2)];
    return Math.sqrt(x * x + y * y + z * z);
  }
}

function degrees(angleRad: number): number {
  return (angleRad * 180) / Math.PI;
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

function percentile(values: Float64Array, share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

function rms(values: Float64Array): number {
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.sqrt(squares / values.length);
}
