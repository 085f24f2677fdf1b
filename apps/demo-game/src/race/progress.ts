import { distanceDelta, projectOnTrack, type Track } from "../track/track.js";

/** In one frame nobody drives farther, on a page that was not hidden. */
const MAX_MOVE_M = 150;

/**
 * The progress of another car, from its shown place and from the laps it reports. The shown place moves smoothly
 * but cannot know laps driven before we came; the reported laps can, but say nothing in between.
 */
export class Progress {
  readonly #track: Track;
  #previousM: number | undefined;
  #unwrappedM = 0;
  #reportedLaps = 0;

  constructor(track: Track) {
    this.#track = track;
  }

  get distanceM(): number {
    return this.#unwrappedM;
  }

  show(x: number, y: number): void {
    const at = projectOnTrack(this.#track, x, y).distanceM;
    if (this.#previousM === undefined) {
      this.#unwrappedM = at > this.#track.lengthM * 0.8 ? at - this.#track.lengthM : at;
      // Laps may have been reported before the car was seen.
      if (this.#reportedLaps > 0) this.reportLaps(this.#reportedLaps);
    } else {
      const movedM = distanceDelta(this.#track, this.#previousM, at);
      // A car that is put elsewhere has its reported laps, and its place in the lap.
      if (Math.abs(movedM) > MAX_MOVE_M) this.#unwrappedM = this.#reportedLaps * this.#track.lengthM + at;
      else this.#unwrappedM += movedM;
    }
    this.#previousM = at;
  }

  /** `lapsDone` laps are certain: shifts by whole laps to agree, however far round the car is shown to be. */
  reportLaps(lapsDone: number): void {
    this.#reportedLaps = lapsDone;
    const { lengthM } = this.#track;
    const excess = this.#unwrappedM - lapsDone * lengthM;
    // The report may come a little before the car is seen to cross the line, or any time during the lap after it.
    this.#unwrappedM -= Math.floor((excess + lengthM * 0.2) / lengthM) * lengthM;
  }

  restart(): void {
    this.#previousM = undefined;
    this.#unwrappedM = 0;
    this.#reportedLaps = 0;
  }
}
