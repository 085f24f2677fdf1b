import type { EntityDefinition } from "@paceline/protocol";
import { angleDifference, wrapAngle } from "../angle.js";
import type { Components } from "../body/body-layout.js";

/**
 * The state between two moments that a game wrote: what moves lies `share` of the way (0: `before`, 1: `now`; above 1 it
 * goes on straight), all else is as in `now`.
 */
export function sampleMotion(
  definition: EntityDefinition,
  before: Components,
  now: Components,
  share: number,
  into: Components,
): void {
  into.set(now);
  const { motionLayout: layout, components } = definition;
  if (!layout || share === 1) return;
  const { position, velocity, acceleration, heading, dimensions } = layout;
  const between = (at: number): void => {
    const { min, max } = components[at]!;
    const value = before[at]! + (now[at]! - before[at]!) * share;
    into[at] = Math.max(min, Math.min(max, value));
  };
  for (let axis = 0; axis < dimensions; axis++) {
    between(position + axis);
    if (velocity !== undefined && layout.isVelocityDeclared) between(velocity + axis);
    if (acceleration !== undefined && layout.isAccelerationDeclared) between(acceleration + axis);
  }
  if (heading === undefined) return;
  into[heading] = wrapAngle(before[heading]! + angleDifference(now[heading]!, before[heading]!) * share);
}
