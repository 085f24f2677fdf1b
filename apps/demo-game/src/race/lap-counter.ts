import { distanceDelta, projectOnTrack, type Track, type TrackPosition } from "../track/track.js";

/** Effect of one step of a car on its lap. */
export type LapEvent =
  | { readonly kind: "lap"; readonly lap: number; readonly timeMs: number }
  /** The car crossed the line without all gates before it, so the lap does not count. */
  | { readonly kind: "missed-gate" };

/** A car's place in its race, for a driver who takes it over. */
export interface LapPlace {
  readonly lapsDone: number;
  /** The gate to cross next, 1 to {@link GATE_COUNT}. */
  readonly nextGate: number;
  /** Steps since the beginning of the lap. */
  readonly lapSteps: number;
}

export const GATE_COUNT = 16;
/**
 * Longest allowed leap of the nearest point of the centre line, m, which occurs when a car slides across the inside
 * of a bend. The grass there costs more time than it saves. A longer leap is a short cut.
 */
const MAX_LEAP_M = 45;

/**
 * Counts laps by gates that must be crossed forwards and in order. Gate 0 is the start line. Only the next gate
 * counts, so reversing over a gate does not undo it, and crossing it again does not count twice.
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

  /** Continues from the place of another counter of the same track. */
  resume({ lapsDone, nextGate, lapSteps }: LapPlace): void {
    this.#lapsDone = lapsDone;
    this.#nextGate = nextGate;
    this.#lapStartStep = this.#step - lapSteps;
    const { distanceM } = this.at;
    const isBehindLine = nextGate === 1 && distanceM > this.#track.lengthM / 2;
    this.#unwrappedM = lapsDone * this.#track.lengthM + distanceM - (isBehindLine ? this.#track.lengthM : 0);
  }

  /** Steps since the start of the race. */
  get steps(): number {
    return this.#step;
  }

  /** Steps since the beginning of the current lap. */
  get lapSteps(): number {
    return this.#step - this.#lapStartStep;
  }

  /**
   * Distance since the start line, m; negative behind it. Each counted lap is exactly one length of the
   * track.
   */
  get progressM(): number {
    return this.#unwrappedM;
  }

  /** Called after every step of the car. The time from the grid to the line belongs to lap 1. */
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

  /** Crosses the gates of this stretch of road. A gate reaches from wall to wall. */
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

  /** Point of the lap to which a reset puts the car: its own, or its last gate if it has missed one. */
  get resumeM(): number {
    return this.hasMissedGate ? (this.#nextGate - 1) * this.#gateSpacingM : this.at.distanceM;
  }

  /** True if the car has missed a gate, so that this lap will not count unless the car goes back. */
  get hasMissedGate(): boolean {
    const lastGateM = (this.#nextGate - 1) * this.#gateSpacingM;
    return distanceDelta(this.#track, lastGateM, this.at.distanceM) > this.#gateSpacingM;
  }

  get #gateSpacingM(): number {
    return this.#track.lengthM / GATE_COUNT;
  }

  /** Called when the car was put elsewhere, which crosses no gate. */
  moveTo(x: number, y: number): void {
    this.at = projectOnTrack(this.#track, x, y);
    this.#unwrappedM += distanceDelta(this.#track, this.#previousM, this.at.distanceM);
    this.#previousM = this.at.distanceM;
  }
}
