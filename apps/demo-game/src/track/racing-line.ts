import { turnBetween, type Track } from "./track.js";

/** A path around the track, one point per centre-line sample, as offsets to the right of the centre. */
export interface RacingLine {
  readonly offsetM: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** 1/m, positive to the right. */
  readonly curvature: Float64Array;
}

/** The line keeps this far inside the road's edges: half a car and a little respect. */
const EDGE_MARGIN_M = 1.7;
const ROUNDS = 400;

/**
 * Bends as little as the road allows: every point moves, along its normal, to where the path through its four
 * neighbours changes its bend least, over and over, first with far neighbours and then with near ones.
 */
export function buildRacingLine(track: Track): RacingLine {
  const offsetM = new Float64Array(track.count);
  for (const reach of [16, 8, 4]) {
    for (let round = 0; round < ROUNDS; round++) relax(track, offsetM, reach);
  }
  const x = new Float64Array(track.count);
  const y = new Float64Array(track.count);
  for (let i = 0; i < track.count; i++) {
    x[i] = lineX(track, offsetM, i);
    y[i] = lineY(track, offsetM, i);
  }
  return { offsetM, x, y, curvature: curvatureOf(track.count, x, y) };
}

const lineX = (track: Track, offsetM: Float64Array, i: number): number =>
  (track.x[i] as number) - (track.tangentY[i] as number) * (offsetM[i] as number);
const lineY = (track: Track, offsetM: Float64Array, i: number): number =>
  (track.y[i] as number) + (track.tangentX[i] as number) * (offsetM[i] as number);

function relax(track: Track, offsetM: Float64Array, reach: number): void {
  const { count } = track;
  // Where the fourth difference vanishes: (-p[-2] + 4 p[-1] + 4 p[1] - p[2]) / 6.
  const wish = (coordinate: typeof lineX, i: number): number => {
    const at = (step: number): number => coordinate(track, offsetM, (i + step * reach + count) % count);
    return (4 * (at(-1) + at(1)) - at(-2) - at(2)) / 6;
  };
  for (let i = 0; i < count; i++) {
    const wanted =
      (wish(lineX, i) - (track.x[i] as number)) * -(track.tangentY[i] as number) +
      (wish(lineY, i) - (track.y[i] as number)) * (track.tangentX[i] as number);
    const limit = (track.halfWidthM[i] as number) - EDGE_MARGIN_M;
    const moved = (offsetM[i] as number) + (wanted - (offsetM[i] as number)) * 0.5;
    offsetM[i] = Math.max(-limit, Math.min(limit, moved));
  }
}

function curvatureOf(count: number, x: Float64Array, y: Float64Array): Float64Array {
  const at = (i: number): { x: number; y: number } => {
    const index = (i + count) % count;
    return { x: x[index] as number, y: y[index] as number };
  };
  const raw = Float64Array.from({ length: count }, (_, i) => turnBetween(at(i - 3), at(i), at(i + 3)));
  return Float64Array.from({ length: count }, (_, i) => {
    const near = [-2, -1, 0, 1, 2].map((step) => raw[(i + step + count) % count] as number);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
}
