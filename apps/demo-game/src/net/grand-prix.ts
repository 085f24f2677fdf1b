import {
  defineEntity,
  defineInput,
  flag,
  scalar,
  type Directed,
  type ReadonlyFields,
  type StepState,
  type WritableFields,
} from "@paceline/client";
import { carAt, type CarState, type DriveInput } from "../car/car-state.js";
import { STEP_S, stepCar } from "../car/step-car.js";
import type { DriverCard, LapMessage, RaceAnnouncement } from "../race/race-messages.js";
import { circuitAt } from "../track/circuits.js";
import { carFields } from "./car-model.js";

/** Name of the rooms in which a server decides the race. */
export const GRAND_PRIX = "grand-prix";
/** Longest time for which a car is predicted, s. */
export const MAX_LEAD_S = 0.3;
/** Steps of the server per second. Each is two steps of a car. */
export const RACE_TICK_HZ = 30;

/** Time by which a page shows its own car ahead of the server: that until its inputs reach the server. */
const lead = scalar({ range: [0, MAX_LEAD_S], precision: 0.004, unit: "s" });

const raceCarFields = {
  ...carFields,
  /** Its driver's lead. Other pages show the car where its driver's page shows it. */
  lead,
  /** True on the grid until the light is green. */
  isHeld: flag(),
  /** True while other cars pass through it. */
  isGhost: flag(),
  /** True if its lap will not count unless it goes back. */
  hasMissedGate: flag(),
};
type RaceCarFields = typeof raceCarFields;

/** A car that the server simulates. */
export const RaceCar = defineEntity("race-car", raceCarFields, { motion: "turn" });

/** A player's input in a tick. */
export const Drive = defineInput({
  steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
  throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
  handbrake: flag(),
  lead,
});

/** The owner of each car; a car keeps its number when its driver reloads the page. */
export interface DriverEntry extends DriverCard {
  readonly number: number;
}

/** The messages of such a room. */
export interface GrandPrixTypes {
  options: { name?: string; color?: string; isComputer?: boolean; isSpectator?: boolean; room?: string };
  messages: {
    chat: Directed<{ text: string }, { name: string; color: string; text: string }>;
    reset: Directed<Record<string, never>>;
    race: Directed<never, RaceAnnouncement>;
    lap: Directed<never, LapMessage & { number: number }>;
    drivers: Directed<never, readonly DriverEntry[]>;
  };
}

export function readRaceCar(
  state: ReadonlyFields<RaceCarFields> | StepState<RaceCarFields>,
  car: CarState,
): void {
  car.x = state.position.x;
  car.y = state.position.y;
  car.velocityX = state.velocity.x;
  car.velocityY = state.velocity.y;
  car.headingRad = state.heading;
  car.yawRateRadPerS = state.yawRate;
  car.steer = state.steer;
  car.throttle = state.throttle;
  car.handbrake = state.handbrake;
}

const MAX_YAW_RATE = 30;
const MAX_SPEED = 120;

export function writeRaceCar(
  state: WritableFields<RaceCarFields>,
  car: CarState,
  input: Readonly<DriveInput>,
): void {
  state.position.set(car.x, car.y);
  state.velocity.set(within(car.velocityX, MAX_SPEED), within(car.velocityY, MAX_SPEED));
  state.heading = car.headingRad;
  state.yawRate = within(car.yawRateRadPerS, MAX_YAW_RATE);
  state.steer = car.steer;
  state.throttle = car.throttle;
  state.handbrake = car.handbrake;
  state.wantedSteer = within(input.steer, 1);
}

/** Scratch car of all calls, since a step keeps nothing in it. */
const scratch: CarState = carAt({ x: 0, y: 0, headingRad: 0 });

/** Predicts the own car with the server's physics, but without the other cars. */
export function stepRaceCar(
  state: StepState<RaceCarFields>,
  input: Readonly<DriveInput>,
  seconds: number,
): void {
  if (state.isHeld) {
    state.steer = input.steer;
    state.throttle = Math.max(0, input.throttle);
    return;
  }
  readRaceCar(state, scratch);
  drive(scratch, input, seconds);
  state.position.x = scratch.x;
  state.position.y = scratch.y;
  state.velocity.x = scratch.velocityX;
  state.velocity.y = scratch.velocityY;
  state.heading = scratch.headingRad;
  state.yawRate = scratch.yawRateRadPerS;
  state.steer = scratch.steer;
  state.throttle = scratch.throttle;
  state.handbrake = scratch.handbrake;
}

/**
 * Drives a shown car on for some seconds with its driver's present input. The next call overwrites the
 * result.
 */
export function carAhead(shown: ReadonlyFields<RaceCarFields>, seconds: number): Readonly<CarState> {
  readRaceCar(shown, scratch);
  const { wantedSteer: steer, throttle, handbrake, isHeld } = shown;
  if (!isHeld) drive(scratch, { steer, throttle, handbrake }, seconds);
  return scratch;
}

function drive(car: CarState, input: Readonly<DriveInput>, seconds: number): void {
  const circuit = circuitAt(car);
  for (let left = seconds; left > 1e-6; left -= STEP_S) stepCar(car, input, circuit, Math.min(left, STEP_S));
}

function within(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}
