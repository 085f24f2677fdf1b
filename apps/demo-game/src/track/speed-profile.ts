import type { RacingLine } from "./racing-line.js";
import type { Track } from "./track.js";

export interface SpeedLimits {
  readonly sidewaysMps2: number;
  readonly brakingMps2: number;
  readonly topMps: number;
}

/**
 * The speed at every sample: what the curvature allows, and less where the car must brake for a later bend.
 */
export function buildSpeedProfile(track: Track, line: RacingLine, limits: SpeedLimits): Float64Array {
  const { count, spacingM } = track;
  const speed = Float64Array.from(line.curvature, (curvature) =>
    Math.min(limits.topMps, Math.sqrt(limits.sidewaysMps2 / Math.max(1e-6, Math.abs(curvature)))),
  );
  // Two laps backwards: the car may have to brake for the first corner before the line.
  for (let step = 2 * count; step > 0; step--) {
    const i = step % count;
    const next = speed[(i + 1) % count] as number;
    const reachable = Math.sqrt(next * next + 2 * limits.brakingMps2 * spacingM);
    if ((speed[i] as number) > reachable) speed[i] = reachable;
  }
  return speed;
}
