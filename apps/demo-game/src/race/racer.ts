import { carAt, type CarState, type DriveInput } from "../car/car-state.js";
import { pushApart, type OtherCar } from "../car/contact.js";
import { STEP_MS, stepCar } from "../car/step-car.js";
import { gridSlot, type Circuit } from "../track/circuit.js";
import { circuitAt } from "../track/circuits.js";
import { poseOnTrack, type TrackPose } from "../track/track.js";
import { LapCounter, type LapEvent, type LapPlace } from "./lap-counter.js";

/**
 * Steps for which a car passes through others after a reset or a late start, because it may begin inside
 * another.
 */
const GHOST_STEPS = 150;

/** Simulates the own car in the race in fixed steps. */
export class Racer {
  circuit: Circuit;
  readonly car: CarState;
  laps: LapCounter;
  /** True on the grid until the light is green: the car does not move. */
  isHeld = false;
  /** Pose before the last step, to interpolate between steps. */
  readonly previous: TrackPose;
  #ghostSteps = 0;

  constructor(circuit: Circuit, slot: number) {
    this.circuit = circuit;
    this.car = carAt(gridSlot(circuit.track, slot));
    this.previous = { x: this.car.x, y: this.car.y, headingRad: this.car.headingRad };
    this.laps = new LapCounter(circuit.track, this.car.x, this.car.y);
  }

  get isGhost(): boolean {
    return this.#ghostSteps > 0;
  }

  becomeGhost(): void {
    this.#ghostSteps = GHOST_STEPS;
  }

  placeOnGrid(circuit: Circuit, slot: number): void {
    this.circuit = circuit;
    this.#putAt(gridSlot(this.circuit.track, slot));
    this.laps = new LapCounter(this.circuit.track, this.car.x, this.car.y);
  }

  /** Takes over another car's pose, speed and lap. */
  takeOver(car: CarState, place: LapPlace): void {
    this.circuit = circuitAt(car);
    this.#putAt(car);
    Object.assign(this.car, car);
    this.laps = new LapCounter(this.circuit.track, car.x, car.y);
    this.laps.resume(place);
    this.isHeld = false;
    this.becomeGhost();
  }

  /** Puts the car back to the middle of the road: to where it left it, or to where its lap can still count. */
  resetToTrack(): void {
    this.#putAt(poseOnTrack(this.circuit.track, this.laps.resumeM));
    this.laps.moveTo(this.car.x, this.car.y);
    this.becomeGhost();
  }

  step(input: DriveInput, others: Iterable<OtherCar>): LapEvent | undefined {
    const { car } = this;
    this.previous.x = car.x;
    this.previous.y = car.y;
    this.previous.headingRad = car.headingRad;
    if (this.isHeld) {
      car.throttle = Math.max(0, input.throttle);
      car.steer = input.steer;
      return undefined;
    }
    stepCar(car, input, this.circuit);
    if (this.#ghostSteps > 0) this.#ghostSteps--;
    else for (const other of others) pushApart(car, other);
    return this.laps.advance(car.x, car.y, STEP_MS);
  }

  #putAt(pose: TrackPose): void {
    Object.assign(this.car, carAt(pose));
    Object.assign(this.previous, { x: pose.x, y: pose.y, headingRad: pose.headingRad });
    this.#ghostSteps = 0;
  }
}
