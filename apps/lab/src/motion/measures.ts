import { HEADING } from "./trace.js";

/** Frames per second of every receiver. */
export const FRAME_HZ = 60;
/** A step of more than this from one frame to the next is seen as a jump. */
const JUMP_M = 0.3;
/** A jump that the truth made this long ago, or less, is the truth's own. */
const TRUTH_JUMP_FRAMES = 30;
/** "Of late" fades away: half of it in about half a second. */
const TRUE_STEP_FADES = 0.98;

/** What one system made of one trace, in figures of BENCH.md. */
export interface MotionFigures {
  readonly positionErrorRmsM: number;
  readonly positionErrorP95M: number;
  readonly positionErrorMaxM: number;
  readonly headingErrorP95Deg: number;
  readonly jerkRatioRms: number;
  readonly jerkRatioP95: number;
  readonly jumpsPerMinute: number;
}

/** Collects frame by frame what is shown and what is true. */
export class Measures {
  readonly #positionErrors: number[] = [];
  readonly #headingErrors: number[] = [];
  readonly #shownJerks: number[] = [];
  readonly #trueJerks: number[] = [];
  #jumps = 0;
  #shown: Float64Array[] = [];
  #truth: Float64Array[] = [];
  #framesSinceTrueJump = Infinity;
  #longestTrueStepM = 0;

  get frames(): number {
    return this.#positionErrors.length;
  }

  /** Another appearance begins: frames before it and after it do not belong together. */
  begin(): void {
    this.#shown = [];
    this.#truth = [];
    this.#framesSinceTrueJump = Infinity;
    this.#longestTrueStepM = 0;
  }

  add(shown: Float64Array, truth: Float64Array): void {
    this.#positionErrors.push(distance(shown, truth));
    const turn = shown[HEADING]! - truth[HEADING]!;
    this.#headingErrors.push(Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn))));
    this.#shown = [...this.#shown.slice(-3), Float64Array.from(shown)];
    this.#truth = [...this.#truth.slice(-3), Float64Array.from(truth)];
    this.#countJump();
    if (this.#shown.length < 4) return;
    this.#shownJerks.push(thirdDifference(this.#shown) * FRAME_HZ ** 3);
    this.#trueJerks.push(thirdDifference(this.#truth) * FRAME_HZ ** 3);
  }

  figures(): MotionFigures {
    const errors = sorted(this.#positionErrors);
    const shown = sorted(this.#shownJerks);
    const truth = sorted(this.#trueJerks);
    return {
      positionErrorRmsM: rms(errors),
      positionErrorP95M: percentile(errors, 0.95),
      positionErrorMaxM: errors.at(-1) ?? NaN,
      headingErrorP95Deg: (percentile(sorted(this.#headingErrors), 0.95) * 180) / Math.PI,
      jerkRatioRms: rms(shown) / rms(truth),
      jerkRatioP95: percentile(shown, 0.95) / percentile(truth, 0.95),
      jumpsPerMinute: this.#jumps / (this.frames / FRAME_HZ / 60),
    };
  }

  /**
   * A jump, of the frame before the last: its step is longer by 0.3 m than any that the truth made of late, or it is out
   * of line by as much with both the step before it and the one after it (a bend is out of line with one only).
   */
  #countJump(): void {
    if (this.#shown.length < 4) return;
    this.#framesSinceTrueJump += 1;
    if (outOfLine(this.#truth) > JUMP_M) this.#framesSinceTrueJump = 0;
    const [, before, after] = this.#shown as [Float64Array, Float64Array, Float64Array, Float64Array];
    const trueStepM = distance(this.#truth[2]!, this.#truth[1]!);
    this.#longestTrueStepM = Math.max(trueStepM, this.#longestTrueStepM * TRUE_STEP_FADES);
    if (this.#framesSinceTrueJump <= TRUTH_JUMP_FRAMES) return;
    const isLong = distance(after, before) > this.#longestTrueStepM + JUMP_M;
    if (isLong || outOfLine(this.#shown) > JUMP_M) this.#jumps += 1;
  }
}

/** By how much the middle one of three steps differs from both others, m. */
function outOfLine(rows: readonly Float64Array[]): number {
  return Math.min(secondDifference(rows.slice(0, 3)), secondDifference(rows.slice(1)));
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
}

function secondDifference(rows: readonly Float64Array[]): number {
  const [a, b, c] = rows as [Float64Array, Float64Array, Float64Array];
  return Math.hypot(...[0, 1, 2].map((axis) => c[axis]! - 2 * b[axis]! + a[axis]!));
}

function thirdDifference(rows: readonly Float64Array[]): number {
  const [a, b, c, d] = rows as [Float64Array, Float64Array, Float64Array, Float64Array];
  return Math.hypot(...[0, 1, 2].map((axis) => d[axis]! - 3 * c[axis]! + 3 * b[axis]! - a[axis]!));
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
