import { defineEntity, type Room, type WritableFields } from "@paceline/client";
import type { CarState, DriveInput } from "../car/car-state.js";
import { carFields, continueCar, drawnFields } from "./car-model.js";

/**
 * A player's car. With the game's physics as the model of motion it would send one update in twelve less, but
 * be shown less exactly when a key is released (0.30 m at worst in place of 0.22, see car-model.sim.test.ts),
 * and every receiver would simulate every car.
 */
export const Car = defineEntity("car", drawnFields, {
  // Steering and throttle are only visible as wheels and smoke, which may be a little late.
  motion: "turn",
  threshold: { position: 0.1, heading: 0.035, steer: 0.25, throttle: 0.5 },
});

/** A computer driver's car. It steers smoothly, so the game's physics predict it for a long time. */
export const ComputerCar = defineEntity("computer-car", carFields, {
  motion: "step",
  step: continueCar,
  // Errors of steering and turn rate appear in position and heading, whose thresholds are enough.
  threshold: { position: 0.1, heading: 0.035, steer: 0.25, throttle: 0.5, yawRate: 60, wantedSteer: 2 },
});

/** Publishes the own car to the others. */
export interface OwnCar {
  /** Called after every step. The SDK decides what is sent, and when. */
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
