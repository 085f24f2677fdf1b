import type { StepState } from "@paceline/client";
import { carAt, type CarState } from "../car/car-state.js";
import { stepCar } from "../car/step-car.js";
import { circuitAt } from "../track/circuits.js";
import type { carFields } from "./car-fields.js";

/** The fields that the model of motion changes. */
type ModelledCar = StepState<typeof carFields>;

/** Scratch car of all calls, since a step keeps nothing in it. */
const car: CarState = carAt({ x: 0, y: 0, headingRad: 0 });

/** The game's physics as the model of motion: drives a car on with the controls of its last state. */
export function continueCar(state: ModelledCar, seconds: number): void {
  car.x = state.position.x;
  car.y = state.position.y;
  car.velocityX = state.velocity.x;
  car.velocityY = state.velocity.y;
  car.headingRad = state.heading;
  car.yawRateRadPerS = state.yawRate;
  car.steer = state.steer;
  const { wantedSteer, throttle, handbrake } = state;
  stepCar(car, { steer: wantedSteer, throttle, handbrake }, circuitAt(car), seconds);
  state.position.x = car.x;
  state.position.y = car.y;
  state.velocity.x = car.velocityX;
  state.velocity.y = car.velocityY;
  state.heading = car.headingRad;
  state.yawRate = car.yawRateRadPerS;
  state.steer = car.steer;
}
