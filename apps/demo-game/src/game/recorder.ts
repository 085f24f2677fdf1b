/** One frame of a recording. Times are wall-clock, so that two browsers on one machine can be compared. */
export interface RecordedFrame {
  readonly atMs: number;
  readonly mine: RecordedPose;
  readonly others: readonly RecordedCar[];
}

/** Another's car as it was shown. */
export interface RecordedCar extends RecordedPose {
  readonly ownerId: string;
  /** Age of the newest state of it. */
  readonly ageMs: number;
}

export interface RecordedPose {
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
}

/** Ten minutes at sixty frames a second: a forgotten recorder must not eat the memory. */
const MAX_FRAMES = 36_000;

/** Writes down where every car was, frame by frame, while switched on. */
export class Recorder {
  #frames: RecordedFrame[] = [];
  #isOn = false;

  start(): void {
    this.#frames = [];
    this.#isOn = true;
  }

  /** The recording since `start`; it goes on. */
  frames(): readonly RecordedFrame[] {
    return [...this.#frames];
  }

  stop(): void {
    this.#isOn = false;
  }

  /** @param atMs of `performance.now`: when the places were read, which is before they were drawn */
  record(atMs: number, mine: RecordedPose, others: readonly RecordedCar[]): void {
    if (!this.#isOn || this.#frames.length >= MAX_FRAMES) return;
    this.#frames.push({
      atMs: performance.timeOrigin + atMs,
      mine: { x: mine.x, y: mine.y, headingRad: mine.headingRad },
      others: others.map(({ ownerId, x, y, headingRad, ageMs }) => ({ ownerId, x, y, headingRad, ageMs })),
    });
  }
}
