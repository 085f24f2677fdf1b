import { distanceDelta, projectOnTrack, type Track } from "../track/track.js";

/** Longest distance that a car drives in one frame, m, unless the page was hidden. */
const MAX_MOVE_M = 150;

/**
 * The progress of another car, from its shown position and from the laps that it reports. The position changes
 * smoothly, but does not contain laps from before this page joined. The reported laps do, but have no fractions.
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
      // Laps may be reported before the car is shown.
      if (this.#reportedLaps > 0) this.reportLaps(this.#reportedLaps);
    } else {
      const movedM = distanceDelta(this.#track, this.#previousM, at);
      // After a jump of the car, its reported laps and its position in the lap count.
      if (Math.abs(movedM) > MAX_MOVE_M) this.#unwrappedM = this.#reportedLaps * this.#track.lengthM + at;
      else this.#unwrappedM += movedM;
    }
    this.#previousM = at;
  }

  /** Takes the number of laps that the car has reported. Shifts the progress by whole laps to agree with it. */
  reportLaps(lapsDone: number): void {
    this.#reportedLaps = lapsDone;
    const { lengthM } = this.#track;
    const excess = this.#unwrappedM - lapsDone * lengthM;
    // The report may arrive shortly before the shown car crosses the line, or during the whole next lap.
    this.#unwrappedM -= Math.floor((excess + lengthM * 0.2) / lengthM) * lengthM;
  }

  restart(): void {
    this.#previousM = undefined;
    this.#unwrappedM = 0;
    this.#reportedLaps = 0;
  }
}
