import { angle, defineEntity, flag, scalar, vec2, type Room } from "@paceline/client";
import type { CarState } from "../car/car-state.js";

/** What of a car travels: enough to draw it, to predict it and to see what its driver is doing. */
export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-2048, 2048], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-120, 120], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.002, unit: "rad" }),
    steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
    throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
    handbrake: flag(),
  },
  // Wheels and smoke may lag a little: they are no reason to send. The path is.
  { motion: "turn", threshold: { position: 0.1, heading: 0.035, steer: 0.25, throttle: 0.5 } },
);

export type OwnCar = ReturnType<typeof spawnCar>;

export function spawnCar(room: Room, car: CarState) {
  return room.spawn(Car, { position: { x: car.x, y: car.y }, heading: car.headingRad });
}

/** After every step; what is sent of it, and when, is the SDK's decision. */
export function publishCar(entity: OwnCar, car: CarState): void {
  entity.position.set(car.x, car.y);
  entity.velocity.set(car.velocityX, car.velocityY);
  entity.heading = car.headingRad;
  entity.steer = car.steer;
  entity.throttle = car.throttle;
  entity.handbrake = car.handbrake;
}
