import { distanceDelta, projectOnTrack, type Track, type TrackPosition } from "../track/track.js";

/** What one step of a car meant for its lap. */
export type LapEvent =
  | { readonly kind: "lap"; readonly lap: number; readonly timeMs: number }
  /** The line was crossed without every gate before it: the lap is driven again. */
  | { readonly kind: "missed-gate" };

const GATE_COUNT = 16;
/** A gate reaches this far beyond the edges: a slide through the gravel costs time, not the lap. */
const GATE_MARGIN_M = 14;
/** No car moves further than this along the track in one step; a larger jump is a short cut. */
const MAX_STEP_M = 6;

/**
 * Counts laps by gates that must be crossed in order, forwards. Gate 0 is the start line. Reversing over a gate does
 * not undo it and crossing it again does not count twice, as only the next gate is looked for.
 */
export class LapCounter {
  readonly #track: Track;
  #previousM: number;
  #nextGate = 1;
  #lapsDone = 0;
  #lapStartStep = 0;
  #step = 0;
  #unwrappedM: number;
  at: TrackPosition;

  constructor(track: Track, x: number, y: number) {
    this.#track = track;
    this.at = projectOnTrack(track, x, y);
    this.#previousM = this.at.distanceM;
    this.#unwrappedM =
      this.at.distanceM > track.lengthM / 2 ? this.at.distanceM - track.lengthM : this.at.distanceM;
  }

  get lapsDone(): number {
    return this.#lapsDone;
  }

  /** Steps since the start, whichever lap. */
  get steps(): number {
    return this.#step;
  }

  /** Steps since the current lap began. */
  get lapSteps(): number {
    return this.#step - this.#lapStartStep;
  }

  /** Metres since the start, less behind the line; a counted lap is worth exactly one track length. */
  get progressM(): number {
    return this.#unwrappedM;
  }

  /** After every step of the car. The way from the grid to the line is part of lap 1, in time too. */
  advance(x: number, y: number, stepMs: number): LapEvent | undefined {
    this.#step++;
    this.at = projectOnTrack(this.#track, x, y);
    const movedM = distanceDelta(this.#track, this.#previousM, this.at.distanceM);
    const previousM = this.#previousM;
    this.#previousM = this.at.distanceM;
    this.#unwrappedM += movedM;
    if (
      movedM <= 0 ||
      movedM > MAX_STEP_M ||
      Math.abs(this.at.offsetM) > this.at.halfWidthM + GATE_MARGIN_M
    ) {
      return undefined;
    }
    const spacingM = this.#track.lengthM / GATE_COUNT;
    const before = Math.floor(previousM / spacingM);
    const now = Math.floor(this.at.distanceM / spacingM) % GATE_COUNT;
    if (now === before % GATE_COUNT) return undefined;
    if (now === 0) return this.#crossLine(stepMs);
    if (now === this.#nextGate) this.#nextGate++;
    return undefined;
  }

  #crossLine(stepMs: number): LapEvent | undefined {
    const complete = this.#nextGate === GATE_COUNT;
    const justStarted = this.#nextGate === 1;
    this.#nextGate = 1;
    if (!complete && justStarted) return undefined;
    if (!complete) {
      this.#unwrappedM = this.#lapsDone * this.#track.lengthM + this.at.distanceM;
      return { kind: "missed-gate" };
    }
    this.#lapsDone++;
    this.#unwrappedM = this.#lapsDone * this.#track.lengthM + this.at.distanceM;
    const timeMs = this.lapSteps * stepMs;
    this.#lapStartStep = this.#step;
    return { kind: "lap", lap: this.#lapsDone, timeMs };
  }

  /** Metres along the lap where the last gate in order stands: where a car is put back. */
  get lastGateM(): number {
    return ((this.#nextGate - 1) * this.#track.lengthM) / GATE_COUNT;
  }

  /** The car was put elsewhere: no gate is crossed by that. */
  moveTo(x: number, y: number): void {
    this.at = projectOnTrack(this.#track, x, y);
    this.#unwrappedM += distanceDelta(this.#track, this.#previousM, this.at.distanceM);
    this.#previousM = this.at.distanceM;
  }
}
