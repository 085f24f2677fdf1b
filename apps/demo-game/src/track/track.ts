import { sampleClosedCurve, type CurvePoint, type ControlPoint } from "./spline.js";

/** The centre line as parallel arrays, one entry per sample, equally spaced along the lap. */
export interface Track {
  readonly lengthM: number;
  readonly spacingM: number;
  readonly count: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Unit tangent in driving direction; the right-hand normal is (-tangentY, tangentX). */
  readonly tangentX: Float64Array;
  readonly tangentY: Float64Array;
  readonly halfWidthM: Float64Array;
  /** 1/m, positive where the track turns right. */
  readonly curvature: Float64Array;
}

/** A position relative to the centre line. */
export interface TrackPosition {
  /** Metres along the lap, in [0, lengthM). */
  distanceM: number;
  /** Metres to the right of the centre line, negative to the left. */
  offsetM: number;
  halfWidthM: number;
  headingRad: number;
  tangentX: number;
  tangentY: number;
}

/** A position on the road and the direction of the lap there. */
export interface TrackPose {
  x: number;
  y: number;
  headingRad: number;
}

const SAMPLE_SPACING_M = 2;
/** The search looks at every n-th sample first, then at all samples around the best one. */
const COARSE_STRIDE = 4;

/** Builds the track with its start line at `startLineM` metres along the raw curve. */
export function buildTrack(points: readonly ControlPoint[], startLineM: number): Track {
  const raw = sampleClosedCurve(points, SAMPLE_SPACING_M);
  const shift = Math.round(startLineM / SAMPLE_SPACING_M) % raw.length;
  const samples = [...raw.slice(shift), ...raw.slice(0, shift)];
  const count = samples.length;
  const at = (index: number): CurvePoint => samples[(index + count) % count] as CurvePoint;
  const lengthM = samples.reduce((sum, p, i) => sum + Math.hypot(at(i + 1).x - p.x, at(i + 1).y - p.y), 0);
  const track: Track = {
    lengthM,
    spacingM: lengthM / count,
    count,
    x: Float64Array.from(samples, (p) => p.x),
    y: Float64Array.from(samples, (p) => p.y),
    tangentX: new Float64Array(count),
    tangentY: new Float64Array(count),
    halfWidthM: Float64Array.from(samples, (p) => p.halfWidthM),
    curvature: new Float64Array(count),
  };
  for (let i = 0; i < count; i++) {
    const dx = at(i + 1).x - at(i - 1).x;
    const dy = at(i + 1).y - at(i - 1).y;
    const norm = Math.hypot(dx, dy);
    track.tangentX[i] = dx / norm;
    track.tangentY[i] = dy / norm;
    track.curvature[i] = turnBetween(at(i - 2), at(i), at(i + 2));
  }
  return track;
}

/** Curvature of the circle through three points, 1/m, positive to the right; 0 if two of them coincide. */
export function turnBetween(
  a: { x: number; y: number },
  b: { x: number; y: number },
  c: { x: number; y: number },
): number {
  const cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const ab = Math.hypot(b.x - a.x, b.y - a.y);
  const bc = Math.hypot(c.x - b.x, c.y - b.y);
  const ca = Math.hypot(a.x - c.x, a.y - c.y);
  const product = ab * bc * ca;
  return product === 0 ? 0 : (2 * cross) / product;
}

export function wrapDistance(track: Track, distanceM: number): number {
  const wrapped = distanceM % track.lengthM;
  return wrapped < 0 ? wrapped + track.lengthM : wrapped;
}

/** The shorter path from one distance along the lap to another, in (-lengthM / 2, lengthM / 2]. */
export function distanceDelta(track: Track, fromM: number, toM: number): number {
  const delta = wrapDistance(track, toM - fromM);
  return delta > track.lengthM / 2 ? delta - track.lengthM : delta;
}

function squaredDistance(track: Track, index: number, x: number, y: number): number {
  const dx = (track.x[index] as number) - x;
  const dy = (track.y[index] as number) - y;
  return dx * dx + dy * dy;
}

function nearestSample(track: Track, x: number, y: number): number {
  let best = 0;
  let bestSquared = Infinity;
  for (let index = 0; index < track.count; index += COARSE_STRIDE) {
    const squared = squaredDistance(track, index, x, y);
    if (squared < bestSquared) [best, bestSquared] = [index, squared];
  }
  const coarse = best;
  for (let step = -COARSE_STRIDE; step <= COARSE_STRIDE; step++) {
    const index = (coarse + step + track.count) % track.count;
    const squared = squaredDistance(track, index, x, y);
    if (squared < bestSquared) [best, bestSquared] = [index, squared];
  }
  return best;
}

/** The nearest position on the centre line, for any point of the plane. */
export function projectOnTrack(track: Track, x: number, y: number): TrackPosition {
  const index = nearestSample(track, x, y);
  const dx = x - (track.x[index] as number);
  const dy = y - (track.y[index] as number);
  const along = dx * (track.tangentX[index] as number) + dy * (track.tangentY[index] as number);
  const neighbour = (index + (along >= 0 ? 1 : -1) + track.count) % track.count;
  const t = Math.min(1, Math.abs(along) / track.spacingM);
  const mix = (values: Float64Array): number =>
    (values[index] as number) * (1 - t) + (values[neighbour] as number) * t;
  const [rawX, rawY] = [mix(track.tangentX), mix(track.tangentY)];
  const norm = Math.hypot(rawX, rawY);
  const [tangentX, tangentY] = [rawX / norm, rawY / norm];
  return {
    distanceM: wrapDistance(
      track,
      index * track.spacingM + Math.max(-1, Math.min(1, along / track.spacingM)) * track.spacingM,
    ),
    offsetM: (x - mix(track.x)) * -tangentY + (y - mix(track.y)) * tangentX,
    halfWidthM: mix(track.halfWidthM),
    headingRad: Math.atan2(tangentY, tangentX),
    tangentX,
    tangentY,
  };
}

export function sampleIndexAt(track: Track, distanceM: number): number {
  return Math.floor(wrapDistance(track, distanceM) / track.spacingM) % track.count;
}

/** The point `offsetM` to the right of the centre line at `distanceM`. */
export function poseOnTrack(track: Track, distanceM: number, offsetM = 0): TrackPose {
  const exact = wrapDistance(track, distanceM) / track.spacingM;
  const index = Math.floor(exact) % track.count;
  const next = (index + 1) % track.count;
  const t = exact - Math.floor(exact);
  const mix = (values: Float64Array): number =>
    (values[index] as number) * (1 - t) + (values[next] as number) * t;
  const [tangentX, tangentY] = [mix(track.tangentX), mix(track.tangentY)];
  return {
    x: mix(track.x) - tangentY * offsetM,
    y: mix(track.y) + tangentX * offsetM,
    headingRad: Math.atan2(tangentY, tangentX),
  };
}
