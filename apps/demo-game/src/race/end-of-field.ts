import { STEP_MS } from "../car/step-car.js";
import { poseOnTrack, wrapDistance, type Track, type TrackPose } from "../track/track.js";
import { GATE_COUNT, type LapPlace } from "./lap-counter.js";

/** So far behind the last car a newcomer begins, m, and so fast, m/s. */
const GAP_M = 18;
const ROLLING_MPS = 14;
/** A start from the grid is no worse than this. */
const WORTH_IT_M = 60;

/** A place in a race that is under way. */
export interface RollingStart {
  readonly pose: TrackPose;
  readonly velocityX: number;
  readonly velocityY: number;
  readonly place: LapPlace;
  /** Time of the laps that count as done. */
  readonly totalMs: number;
}

/**
 * The start of a newcomer in mid-race that takes over nobody's car: behind the last car that is still racing, with the time
 * that has gone. The lap that it begins in has the average pace so far, so that no record comes of it.
 * Undefined if the last car is not far from the grid yet.
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
