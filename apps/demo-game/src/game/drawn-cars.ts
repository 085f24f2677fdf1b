import { wrapAngle } from "../car/angle.js";
import { STALE_AFTER_MS, type RemoteCar } from "../net/race-participant.js";
import type { Racer } from "../race/racer.js";
import type { DrawnCar } from "../render/draw-car.js";

type Identity = Pick<DrawnCar, "key" | "color" | "name" | "number" | "isMine" | "path">;

/** Returns a locally simulated car as drawn: between its last two steps. */
export function drawnFromRacer(racer: Racer, alpha: number, identity: Identity): DrawnCar {
  const { car, previous } = racer;
  return {
    ...identity,
    x: previous.x + (car.x - previous.x) * alpha,
    y: previous.y + (car.y - previous.y) * alpha,
    headingRad: previous.headingRad + wrapAngle(car.headingRad - previous.headingRad) * alpha,
    velocityX: car.velocityX,
    velocityY: car.velocityY,
    steer: car.steer,
    throttle: car.throttle,
    handbrake: car.handbrake,
    isGhost: racer.isGhost,
  };
}

/** @param isInspected true to include the newest received pose */
export function drawnFromRemote(remote: RemoteCar, isInspected: boolean, path: DrawnCar["path"]): DrawnCar {
  return {
    key: `remote-${remote.ownerId}-${remote.id}`,
    x: remote.x,
    y: remote.y,
    headingRad: remote.headingRad,
    velocityX: remote.velocityX,
    velocityY: remote.velocityY,
    steer: remote.steer,
    throttle: remote.throttle,
    handbrake: remote.handbrake,
    color: remote.color,
    name: remote.name,
    number: remote.number,
    isMine: false,
    path,
    isGhost: remote.ageMs > STALE_AFTER_MS,
    received: isInspected ? remote.received : undefined,
  };
}
