import { wrapAngle } from "../body/angle.js";
import type { BodyLayout, Components } from "../body/body-layout.js";

/** Continues the turn of the heading for `seconds` at the state's rate. `from` and `into` may be one array. */
export function continueRotation(
  layout: BodyLayout,
  from: Components,
  seconds: number,
  into: Components,
): void {
  const { heading, turnRate } = layout;
  if (heading !== undefined && turnRate !== undefined) {
    into[heading] = wrapAngle(from[heading]! + from[turnRate]! * seconds);
  }
}

/** Clamps the position to the layout's range. */
export function clampPosition(layout: BodyLayout, row: Components): void {
  if (!layout.positionRange) return;
  const [min, max] = layout.positionRange;
  for (let at = layout.position; at < layout.position + layout.dimensions; at++) {
    row[at] = Math.min(Math.max(row[at]!, min), max);
  }
}
