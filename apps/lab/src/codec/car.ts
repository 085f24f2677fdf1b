import { angle, defineEntity, int, quat, uint, vec3, type EntityDefinition } from "@paceline/protocol";
import type { Rotation, SeenCar } from "./system.js";
import type { CarState } from "./trace.js";

const position = vec3({ range: [-327.67, 327.67], precision: 0.01, unit: "m" });
const velocity = vec3({ range: [-327.67, 327.67], precision: 0.01, unit: "m/s" });
const inputs = {
  steer: int({ range: [-127, 127] }),
  throttle: int({ range: [-127, 127] }),
  flags: uint({ range: [0, 255] }),
};
/** Step of a rotation with ten bits per component (smallest three), like the rivals': sqrt(2) / 1023 each. */
const TEN_BITS_RAD = (4 * Math.sqrt(3) * Math.SQRT2) / 1023;

/** Defines a car at the rivals' precision. The range widens for tracks that do not fit into 327 m. */
export function defineCar(rotation: Rotation, frames: readonly (readonly CarState[])[]): EntityDefinition {
  const farthest = farthestM(frames);
  const where =
    farthest > 327.67 ? vec3({ range: [-farthest, farthest], precision: 0.01, unit: "m" }) : position;
  const fields =
    rotation === "yaw"
      ? { heading: angle({ precision: (2 * Math.PI) / 65_536, unit: "rad" }) }
      : { rotation: quat({ precision: TEN_BITS_RAD, unit: "rad" }) };
  return defineEntity("car", { position: where, velocity, ...fields, ...inputs }, { motion: "turn" });
}

/** Returns the largest coordinate, or the limit of the rivals' range if that is larger. */
export function farthestM(frames: readonly (readonly CarState[])[]): number {
  let farthest = 327.67;
  for (const frame of frames)
    for (const { x, y, z } of frame) farthest = Math.max(farthest, Math.abs(x), Math.abs(y), Math.abs(z));
  return farthest;
}

/** Writes a car's components in the order of the definition. */
export function putCar(car: CarState, rotation: Rotation, into: Float64Array): void {
  into[0] = car.x;
  into[1] = car.y;
  into[2] = car.z;
  into[3] = car.vx;
  into[4] = car.vy;
  into[5] = car.vz;
  let at = 6;
  if (rotation === "yaw") into[at++] = car.heading;
  else for (let axis = 0; axis < 4; axis++) into[at++] = car.quat[axis]!;
  into[at++] = car.steer;
  into[at++] = car.throttle;
  into[at++] = car.flags;
}

export function takeCar(from: Float64Array, rotation: Rotation, car: SeenCar): void {
  car.x = from[0]!;
  car.y = from[1]!;
  car.z = from[2]!;
  car.vx = from[3]!;
  car.vy = from[4]!;
  car.vz = from[5]!;
  let at = 6;
  if (rotation === "yaw") car.heading = from[at++]!;
  else for (let axis = 0; axis < 4; axis++) car.quat[axis] = from[at++]!;
  car.steer = from[at++]!;
  car.throttle = from[at++]!;
  car.flags = from[at++]!;
}
