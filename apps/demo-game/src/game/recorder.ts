/**
 * One frame of a recording. Its time is of the wall clock, so that tests can compare two browsers of one
 * machine.
 */
export interface RecordedFrame {
  readonly atMs: number;
  readonly mine: RecordedPose;
  readonly others: readonly RecordedCar[];
}

/** A remote car as it was shown. */
export interface RecordedCar extends RecordedPose {
  readonly ownerId: string;
  /** Age of its newest state, ms. */
  readonly ageMs: number;
}

export interface RecordedPose {
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
}

/** Frames of ten minutes: a recording that nobody stops must not fill the memory. */
const MAX_FRAMES = 36_000;

/** Records the position of every car in every frame between `start` and `stop`. */
export class Recorder {
  #frames: RecordedFrame[] = [];
  #isOn = false;

  start(): void {
    this.#frames = [];
    this.#isOn = true;
  }

  /** Returns the frames since `start`. The recording goes on. */
  frames(): readonly RecordedFrame[] {
    return [...this.#frames];
  }

  stop(): void {
    this.#isOn = false;
  }

  /** @param atMs time of `performance.now` at which the positions were read, which is before they were drawn */
  record(atMs: number, mine: RecordedPose, others: readonly RecordedCar[]): void {
    if (!this.#isOn || this.#frames.length >= MAX_FRAMES) return;
    this.#frames.push({
      atMs: performance.timeOrigin + atMs,
      mine: { x: mine.x, y: mine.y, headingRad: mine.headingRad },
      others: others.map(({ ownerId, x, y, headingRad, ageMs }) => ({ ownerId, x, y, headingRad, ageMs })),
    });
  }
}
