import type { OtherCar } from "../car/contact.js";

/** Another participant's car as it is shown here and now. */
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
  /** The newest state as it came, neither continued nor blended. */
  readonly received: { readonly x: number; readonly y: number; readonly headingRad: number };
  /** Age of the newest state. */
  readonly ageMs: number;
}

/** Older than this, a car's owner has probably gone quiet: it is drawn as a ghost and cannot be hit. */
export const STALE_AFTER_MS = 4_000;
