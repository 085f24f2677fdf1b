import type { OtherCar } from "../car/contact.js";

/** Another participant's car as this page shows it now. */
export interface RemoteCar extends OtherCar {
  readonly id: number;
  readonly ownerId: string;
  readonly number: number;
  readonly name: string;
  readonly color: string;
  readonly isComputer: boolean;
  readonly steer: number;
  readonly throttle: number;
  readonly handbrake: boolean;
  /** The newest received state, neither predicted nor smoothed. */
  readonly received: { readonly x: number; readonly y: number; readonly headingRad: number };
  /** Age of the newest state, ms. */
  readonly ageMs: number;
}

/**
 * Age of the newest state after which a car is drawn as a ghost and cannot be hit, ms. Its owner is silent
 * then.
 */
export const STALE_AFTER_MS = 4_000;
