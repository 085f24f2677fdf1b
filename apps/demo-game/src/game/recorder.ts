/** One frame of a recording. Times are wall-clock, so that two browsers on one machine can be compared. */
export interface RecordedFrame {
  readonly atMs: number;
  readonly mine: RecordedPose;
  readonly others: readonly RecordedCar[];
}

/** Another participant's car as shown. */
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

/** Ten minutes at 60 frames a second: limits the memory of a recorder that nobody stops. */
const MAX_FRAMES = 36_000;

/** Records the position of every car, frame by frame, while switched on. */
export class Recorder {
  #frames: RecordedFrame[] = [];
  #isOn = false;

  start(): void {
    this.#frames = [];
    this.#isOn = true;
  }

  /** The frames since `start`; the recording goes on. */
  frames(): readonly RecordedFrame[] {
    return [...this.#frames];
  }

  stop(): void {
    this.#isOn = false;
  }

  /** @param atMs `performance.now` when the positions were read, which is before they were drawn */
  record(atMs: number, mine: RecordedPose, others: readonly RecordedCar[]): void {
    if (!this.#isOn || this.#frames.length >= MAX_FRAMES) return;
    this.#frames.push({
      atMs: performance.timeOrigin + atMs,
      mine: { x: mine.x, y: mine.y, headingRad: mine.headingRad },
      others: others.map(({ ownerId, x, y, headingRad, ageMs }) => ({ ownerId, x, y, headingRad, ageMs })),
    });
  }
}
