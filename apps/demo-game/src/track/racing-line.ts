import { turnBetween, type Track } from "./track.js";

/** A path around the track, one point per centre-line sample, as offsets to the right of the centre. */
export interface RacingLine {
  readonly offsetM: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** 1/m, positive to the right. */
  readonly curvature: Float64Array;
}

/** Distance between the line and the road's edges: half a car and some margin. */
const EDGE_MARGIN_M = 1.7;
const ROUNDS = 120;
/** Work between two yields: about 5 ms. */
const ROUNDS_PER_STEP = 20;
/** How far a point is moved to measure how the curvature there depends on its position. */
const PROBE_M = 0.01;

/** Finding a line takes a fifth of a second, and both the picture of the road and the drivers need it. */
const lines = new WeakMap<Track, RacingLine>();

export function buildRacingLine(track: Track): RacingLine {
  const steps = racingLineSteps(track);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Makes the curvature change as evenly as the road allows: moves every point sideways until its curvature is
 * between those of its neighbours, again and again, first with far neighbours and then with near ones. Yields
 * every few milliseconds, so that a page can paint.
 */
export function* racingLineSteps(track: Track): Generator<void, RacingLine> {
  const known = lines.get(track);
  if (known !== undefined) return known;
  const offsetM = new Float64Array(track.count);
  for (const reach of [24, 12, 6, 3, 2, 1]) {
    for (let round = 0; round < ROUNDS; round++) {
      relax(track, offsetM, reach);
      if (round % ROUNDS_PER_STEP === 0) yield;
    }
  }
  const x = new Float64Array(track.count);
  const y = new Float64Array(track.count);
  for (let i = 0; i < track.count; i++) {
    x[i] = lineX(track, offsetM, i);
    y[i] = lineY(track, offsetM, i);
  }
  const line = { offsetM, x, y, curvature: curvatureOf(track.count, x, y) };
  lines.set(track, line);
  return line;
}

const lineX = (track: Track, offsetM: Float64Array, i: number): number =>
  (track.x[i] as number) - (track.tangentY[i] as number) * (offsetM[i] as number);
const lineY = (track: Track, offsetM: Float64Array, i: number): number =>
  (track.y[i] as number) + (track.tangentX[i] as number) * (offsetM[i] as number);

function relax(track: Track, offsetM: Float64Array, reach: number): void {
  const { count } = track;
  const at = (i: number): { x: number; y: number } => {
    const index = (i + count) % count;
    return { x: lineX(track, offsetM, index), y: lineY(track, offsetM, index) };
  };
  for (let i = 0; i < count; i++) {
    const [before, here, after] = [at(i - reach), at(i), at(i + reach)];
    const bendBefore = turnBetween(at(i - 2 * reach), before, here);
    const bendAfter = turnBetween(here, after, at(i + 2 * reach));
    const toBefore = Math.hypot(here.x - before.x, here.y - before.y);
    const toAfter = Math.hypot(after.x - here.x, after.y - here.y);
    const wanted = (bendBefore * toAfter + bendAfter * toBefore) / (toBefore + toAfter);
    const probe = {
      x: here.x - (track.tangentY[i] as number) * PROBE_M,
      y: here.y + (track.tangentX[i] as number) * PROBE_M,
    };
    const bend = turnBetween(before, here, after);
    const bendPerM = (turnBetween(before, probe, after) - bend) / PROBE_M;
    const limit = (track.halfWidthM[i] as number) - EDGE_MARGIN_M;
    const moved = (offsetM[i] as number) + (wanted - bend) / bendPerM;
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
