import { wrapAngle } from "../car/angle.js";
import type { Surface } from "../track/surface.js";
import type { DrawnCar } from "./draw-car.js";

/** A car's skid marks and smoke of this frame. */
export interface Traces {
  /** Strength of the tyre marks, 0 to 1. */
  readonly mark: number;
  readonly cloud: "smoke" | "dust" | undefined;
}

const GRASS_MARK = 0.3;
const SMOKE_FROM = 0.35;

/** Needs only the motion of the car and the surface, so that remote cars leave traces as well. */
export function tracesOf(car: DrawnCar, surface: Surface): Traces {
  const speedMps = Math.hypot(car.velocityX, car.velocityY);
  if (surface === "grass" || surface === "gravel") {
    return { mark: speedMps > 4 ? GRASS_MARK : 0, cloud: speedMps > 6 ? "dust" : undefined };
  }
  if (car.isGhost && !car.isMine) return { mark: 0, cloud: undefined };
  const mark = Math.max(sideways(car, speedMps), spinning(car, speedMps), locked(car, speedMps));
  return { mark, cloud: mark > SMOKE_FROM ? "smoke" : undefined };
}

function sideways(car: DrawnCar, speedMps: number): number {
  if (speedMps < 5) return 0;
  const driftRad = Math.abs(wrapAngle(Math.atan2(car.velocityY, car.velocityX) - car.headingRad));
  const across = Math.min(driftRad, Math.PI - driftRad);
  return Math.min(1, Math.max(0, (across - 0.13) / 0.3));
}

function spinning(car: DrawnCar, speedMps: number): number {
  return car.throttle > 0.7 && speedMps > 0.5 && speedMps < 7 ? 0.5 : 0;
}

function locked(car: DrawnCar, speedMps: number): number {
  if (car.handbrake && speedMps > 5) return 0.8;
  return car.throttle < -0.9 && speedMps > 18 ? 0.3 : 0;
}
