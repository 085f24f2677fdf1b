import { angle, flag, scalar, vec2, type StepState } from "@paceline/client";
import { carAt, type CarState } from "../car/car-state.js";
import { stepCar } from "../car/step-car.js";
import { circuitAt } from "../track/circuits.js";

/** The fields that are sent of every car: enough to draw it. */
export const drawnFields = {
  position: vec2({ range: [-2048, 2048], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-120, 120], precision: 0.01, unit: "m/s" }),
  heading: angle({ precision: 0.002, unit: "rad" }),
  steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
  throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
  handbrake: flag(),
};

/** The fields of a car that receivers simulate: those of every car, and the rest of its physical state. */
export const carFields = {
  ...drawnFields,
  yawRate: scalar({ range: [-30, 30], precision: 0.005, unit: "rad/s" }),
  /** The driver's target for the wheel, which follows with a delay. */
  wantedSteer: scalar({ range: [-1, 1], precision: 1 / 127 }),
};

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
