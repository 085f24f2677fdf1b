import { angleDifference, wrapAngle } from "../body/pose.js";
import type { BodyLayout, Components } from "../body/body-layout.js";
import type { Snapshot } from "./snapshot-buffer.js";

/** Longest time between two snapshots, s, for which their velocities shape the path between them. */
const MAX_BENT_SECONDS = 0.5;

/**
 * Writes the pose between two snapshots: positions on a cubic through both positions and velocities (a
 * straight line without velocities), headings the short way. All other components come from the first snapshot.
 */
export function interpolatePose(
  layout: BodyLayout,
  from: Snapshot,
  to: Snapshot,
  seconds: number,
  into: Components,
): void {
  const duration = to.seconds - from.seconds;
  const u = Math.max(0, Math.min(1, (seconds - from.seconds) / duration));
  into.set(from.row);
  const { position, dimensions, velocity, heading } = layout;
  const isBent = velocity !== undefined && duration <= MAX_BENT_SECONDS;
  const share = isBent ? u * u * (3 - 2 * u) : u;
  for (let axis = 0; axis < dimensions; axis++) {
    const start = from.row[position + axis]!;
    const end = to.row[position + axis]!;
    into[position + axis] = start + (end - start) * share;
    if (velocity === undefined) continue;
    const before = from.row[velocity + axis]!;
    const after = to.row[velocity + axis]!;
    into[velocity + axis] = before + (after - before) * u;
    if (isBent) into[position + axis]! += u * (1 - u) * ((1 - u) * before - u * after) * duration;
  }
  if (heading !== undefined) {
    const turn = angleDifference(to.row[heading]!, from.row[heading]!);
    into[heading] = wrapAngle(from.row[heading]! + turn * u);
  }
}
