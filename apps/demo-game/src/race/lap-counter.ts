import { distanceDelta, projectOnTrack, type Track, type TrackPosition } from "../track/track.js";

/** The effect of one step of a car on its lap. */
export type LapEvent =
  | { readonly kind: "lap"; readonly lap: number; readonly timeMs: number }
  /** The line was crossed without every gate before it: the lap is driven again. */
  | { readonly kind: "missed-gate" };

/** Where a car is in its race, for whoever takes it over. */
export interface LapPlace {
  readonly lapsDone: number;
  /** The gate to cross next, 1 to {@link GATE_COUNT}. */
  readonly nextGate: number;
  /** Steps since the lap began. */
  readonly lapSteps: number;
}

export const GATE_COUNT = 16;
/**
 * The nearest place of the centre line leaps forward when a car slides across the inside of a bend. So far is forgiven,
 * as the grass there costs more than it saves; a longer leap is a short cut.
 */
const MAX_LEAP_M = 45;

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

  get place(): LapPlace {
    return { lapsDone: this.#lapsDone, nextGate: this.#nextGate, lapSteps: this.lapSteps };
  }

  /** Goes on where another counter of the same track was. */
  resume({ lapsDone, nextGate, lapSteps }: LapPlace): void {
    this.#lapsDone = lapsDone;
    this.#nextGate = nextGate;
    this.#lapStartStep = this.#step - lapSteps;
    const { distanceM } = this.at;
    const isBehindLine = nextGate === 1 && distanceM > this.#track.lengthM / 2;
    this.#unwrappedM = lapsDone * this.#track.lengthM + distanceM - (isBehindLine ? this.#track.lengthM : 0);
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
    if (movedM <= 0 || movedM > MAX_LEAP_M) return undefined;
    return this.#crossGates(previousM, movedM, stepMs);
  }

  /** Walls stand close enough to the road: a gate reaches from one to the other. */
  #crossGates(fromM: number, movedM: number, stepMs: number): LapEvent | undefined {
    const spacingM = this.#gateSpacingM;
    const first = Math.floor(fromM / spacingM) + 1;
    const last = Math.floor((fromM + movedM) / spacingM);
    let event: LapEvent | undefined;
    for (let gate = first; gate <= last; gate++) {
      if (gate % GATE_COUNT === 0) event = this.#crossLine(stepMs);
      else if (gate % GATE_COUNT === this.#nextGate) this.#nextGate++;
    }
    return event;
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

  /** The point of the lap to put a car back to: its own, or the last gate that it took if it missed one. */
  get resumeM(): number {
    return this.hasMissedGate ? (this.#nextGate - 1) * this.#gateSpacingM : this.at.distanceM;
  }

  /** Past a gate without having crossed it: this lap will not count unless the car goes back. */
  get hasMissedGate(): boolean {
    const lastGateM = (this.#nextGate - 1) * this.#gateSpacingM;
    return distanceDelta(this.#track, lastGateM, this.at.distanceM) > this.#gateSpacingM;
  }

  get #gateSpacingM(): number {
    return this.#track.lengthM / GATE_COUNT;
  }

  /** The car was put elsewhere: no gate is crossed by that. */
  moveTo(x: number, y: number): void {
    this.at = projectOnTrack(this.#track, x, y);
    this.#unwrappedM += distanceDelta(this.#track, this.#previousM, this.at.distanceM);
    this.#previousM = this.at.distanceM;
  }
}
