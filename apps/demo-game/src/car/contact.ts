import { carParameters as p } from "./car-parameters.js";
import type { CarState } from "./car-state.js";

/** State of another car, as far as a contact needs it. */
export interface OtherCar {
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
  readonly velocityX: number;
  readonly velocityY: number;
}

/** A car is two discs, one per axle: round enough not to snag, long enough to block. */
const DISC_RADIUS_M = 1.12;
const DISC_OFFSET_M = 1.05;
const REACH_M = 2 * (DISC_RADIUS_M + DISC_OFFSET_M);
const BOUNCE = 0.25;
/** Share of an overlap that one step removes. Small, because the other car is drawn where it was. */
const PUSH_OUT = 0.3;
const MAX_PUSH_M = 0.25;

/**
 * Pushes only `car` and gives it its own part of the impulse between two equal cars; the caller for `other`
 * applies the other part. Returns the closing speed, m/s; 0 without contact, or if the cars move apart.
 */
export function pushApart(car: CarState, other: OtherCar): number {
  if (Math.abs(car.x - other.x) > REACH_M || Math.abs(car.y - other.y) > REACH_M) return 0;
  let closing = 0;
  for (const mine of [DISC_OFFSET_M, -DISC_OFFSET_M]) {
    for (const theirs of [DISC_OFFSET_M, -DISC_OFFSET_M]) {
      closing = Math.max(closing, pushDiscs(car, mine, other, theirs));
    }
  }
  car.impactMps = Math.max(car.impactMps, closing);
  return closing;
}

function pushDiscs(car: CarState, mineM: number, other: OtherCar, theirsM: number): number {
  const armX = Math.cos(car.headingRad) * mineM;
  const armY = Math.sin(car.headingRad) * mineM;
  const dx = car.x + armX - (other.x + Math.cos(other.headingRad) * theirsM);
  const dy = car.y + armY - (other.y + Math.sin(other.headingRad) * theirsM);
  const distance = Math.hypot(dx, dy);
  const overlap = 2 * DISC_RADIUS_M - distance;
  if (overlap <= 0) return 0;
  // With both centres at one point any direction will do: the nose gives one without randomness.
  const normalX = distance > 1e-6 ? dx / distance : Math.cos(car.headingRad);
  const normalY = distance > 1e-6 ? dy / distance : Math.sin(car.headingRad);
  const push = Math.min(MAX_PUSH_M, overlap * PUSH_OUT);
  car.x += normalX * push;
  car.y += normalY * push;
  const closing = -(
    (car.velocityX - other.velocityX) * normalX +
    (car.velocityY - other.velocityY) * normalY
  );
  if (closing <= 0) return 0;
  const impulse = (closing * (1 + BOUNCE)) / 2;
  car.velocityX += normalX * impulse;
  car.velocityY += normalY * impulse;
  car.yawRateRadPerS += (0.35 * impulse * (armX * normalY - armY * normalX)) / p.yawInertiaM2;
  return closing;
}
