import type { EntityDefinition } from "@paceline/protocol";
import { angleDifference, wrapAngle } from "../body/pose.js";
import type { Components } from "../body/body-layout.js";

/** The values of the game's last write, and their rate of change at that time, per ms. */
export interface WrittenBefore {
  readonly row: Components;
  readonly rates: Components;
}

/**
 * A moment relative to the last write (share 0) and the current one (1), `sinceMs` apart. A share above 1
 * lies ahead.
 */
export interface SampledMoment {
  readonly share: number;
  readonly sinceMs: number;
}

/**
 * Computes the state at a moment without a write. Between the two rows, motion is interpolated. Ahead of
 * them, it continues straight at the slower of its last two rates, so that a jump or an impact does not
 * continue. All other values are those of `now`.
 */
export function sampleMotion(
  definition: EntityDefinition,
  before: WrittenBefore,
  now: Components,
  { share, sinceMs }: SampledMoment,
  into: Components,
): void {
  into.set(now);
  const { motionLayout: layout, components } = definition;
  if (!layout || share === 1) return;
  const { position, velocity, acceleration, heading, dimensions } = layout;
  const changed = (at: number, change: number): number =>
    share < 1
      ? before.row[at]! + change * share
      : now[at]! + slower(change / sinceMs, before.rates[at]!) * (share - 1) * sinceMs;
  const sample = (at: number): void => {
    const { min, max } = components[at]!;
    into[at] = Math.max(min, Math.min(max, changed(at, now[at]! - before.row[at]!)));
  };
  for (let axis = 0; axis < dimensions; axis++) {
    sample(position + axis);
    if (velocity !== undefined && layout.isVelocityDeclared) sample(velocity + axis);
    if (acceleration !== undefined && layout.isAccelerationDeclared) sample(acceleration + axis);
  }
  if (heading === undefined) return;
  into[heading] = wrapAngle(changed(heading, angleDifference(now[heading]!, before.row[heading]!)));
}

/** Stores `now` as the last write, `sinceMs` after the one before. */
export function noteWritten(
  { motionLayout: layout }: EntityDefinition,
  before: WrittenBefore,
  now: Components,
  sinceMs: number,
): void {
  if (layout) {
    const { row, rates } = before;
    for (let at = 0; at < row.length; at++) {
      const change = at === layout.heading ? angleDifference(now[at]!, row[at]!) : now[at]! - row[at]!;
      rates[at] = sinceMs > 0 ? change / sinceMs : 0;
    }
  }
  before.row.set(now);
}

function slower(rate: number, other: number): number {
  if (rate * other <= 0) return 0;
  return Math.abs(rate) < Math.abs(other) ? rate : other;
}
