import { STEP_MS } from "../car/step-car.js";
import { poseOnTrack, wrapDistance, type Track, type TrackPose } from "../track/track.js";
import { GATE_COUNT, type LapPlace } from "./lap-counter.js";

/** Distance of a newcomer behind the last car, m, and its first speed, m/s. */
const GAP_M = 18;
const ROLLING_MPS = 14;
/** Least progress for a rolling start, m. Below it the grid is as good. */
const WORTH_IT_M = 60;

/** A start in a race that has already begun. */
export interface RollingStart {
  readonly pose: TrackPose;
  readonly velocityX: number;
  readonly velocityY: number;
  readonly place: LapPlace;
  /** Time of the laps that count as done, ms. */
  readonly totalMs: number;
}

/**
 * Returns the start of a newcomer in mid-race that takes over no car: behind the last car that still races, with
 * the elapsed time. Its first lap counts with the average pace so far, so that it cannot be a record.
 * Returns undefined if the last car is still near the grid.
 *
 * @param lastM progress of the last car, m since the start
 */
export function endOfField(track: Track, lastM: number, elapsedMs: number): RollingStart | undefined {
  const startM = lastM - GAP_M;
  if (!(startM > WORTH_IT_M)) return undefined;
  const inLapM = wrapDistance(track, startM);
  const lapsDone = Math.round((startM - inLapM) / track.lengthM);
  const lapSteps = Math.round((elapsedMs * inLapM) / startM / STEP_MS);
  const pose = poseOnTrack(track, startM);
  return {
    pose,
    velocityX: ROLLING_MPS * Math.cos(pose.headingRad),
    velocityY: ROLLING_MPS * Math.sin(pose.headingRad),
    place: { lapsDone, nextGate: Math.floor((inLapM / track.lengthM) * GATE_COUNT) + 1, lapSteps },
    totalMs: elapsedMs - lapSteps * STEP_MS,
  };
}
