import { defineEntity, type Room, type WritableFields } from "@paceline/client";
import type { CarState, DriveInput } from "../car/car-state.js";
import { carFields, drawnFields } from "./car-fields.js";
import { continueCar } from "./car-model.js";

/**
 * A player's car. The car's own physics save one update in twelve of a hand on keys, but are further off when a key is
 * let go (0.30 m at worst against 0.22, see car-model.sim.test.ts), and cost every receiver a simulation of every car.
 */
export const Car = defineEntity("car", drawnFields, {
  // Wheels and smoke may lag a little: they are no reason to send. The path is.
  motion: "turn",
  threshold: { position: 0.1, heading: 0.035, steer: 0.25, throttle: 0.5 },
});

/** A computer driver's car. Its hands are calm: the game's own physics know for longer where it goes. */
export const ComputerCar = defineEntity("computer-car", carFields, {
  motion: "step",
  step: continueCar,
  // Position and heading show the effects of the wheel and of the turn rate, so they judge those two.
  threshold: { position: 0.1, heading: 0.035, steer: 0.25, throttle: 0.5, yawRate: 60, wantedSteer: 2 },
});

/** One's own car as the others see it. */
export interface OwnCar {
  /** After every step; what is sent of it, and when, is the SDK's decision. */
  publish(car: CarState, input: DriveInput): void;
}

export function spawnCar(room: Room, car: CarState, isComputer: boolean): OwnCar {
  const initial = { position: { x: car.x, y: car.y }, heading: car.headingRad };
  if (!isComputer) {
    const entity = room.spawn(Car, initial);
    return { publish: (now) => write(entity, now) };
  }
  const entity = room.spawn(ComputerCar, initial);
  return {
    publish(now, input) {
      write(entity, now);
      entity.yawRate = Math.max(-30, Math.min(30, now.yawRateRadPerS));
      entity.wantedSteer = input.steer;
    },
  };
}

function write(entity: WritableFields<typeof drawnFields>, car: CarState): void {
  entity.position.set(car.x, car.y);
  entity.velocity.set(car.velocityX, car.velocityY);
  entity.heading = car.headingRad;
  entity.steer = car.steer;
  entity.throttle = car.throttle;
  entity.handbrake = car.handbrake;
}
