import type { Circuit } from "../track/circuit.js";
import { GRAVEL_FROM_M, GRAVEL_WIDTH_M, KERB_WIDTH_M } from "../track/surface.js";
import { poseOnTrack, type Track } from "../track/track.js";
import { buildRacingLine } from "../track/racing-line.js";

/** A piece of the road as ready-made paths in world metres, with a circle around it for culling. */
export interface TrackChunk {
  readonly x: number;
  readonly y: number;
  readonly radiusM: number;
  readonly gravel: Path2D;
  readonly gravelDots: Path2D;
  readonly verge: Path2D;
  readonly road: Path2D;
  readonly rubber: Path2D;
  readonly edges: Path2D;
  readonly kerbRed: Path2D;
  readonly kerbWhite: Path2D;
}

const CHUNK_SAMPLES = 18;
const VERGE_M = 0.9;
const EDGE_LINE_INSET_M = 0.45;

export function buildTrackChunks(circuit: Circuit): TrackChunk[] {
  const { track } = circuit;
  const racingLine = buildRacingLine(track);
  const chunks: TrackChunk[] = [];
  for (let from = 0; from < track.count; from += CHUNK_SAMPLES) {
    const to = Math.min(from + CHUNK_SAMPLES, track.count);
    const middle = Math.floor((from + to) / 2);
    const chunk: TrackChunk = {
      x: track.x[middle] as number,
      y: track.y[middle] as number,
      radiusM: CHUNK_SAMPLES * track.spacingM * 0.6 + GRAVEL_FROM_M + GRAVEL_WIDTH_M + 9,
      gravel: new Path2D(),
      gravelDots: new Path2D(),
      verge: band(track, from, to, (half) => [-half - VERGE_M, half + VERGE_M]),
      road: band(track, from, to, (half) => [-half, half]),
      rubber: new Path2D(),
      edges: new Path2D(),
      kerbRed: new Path2D(),
      kerbWhite: new Path2D(),
    };
    for (const side of [-1, 1]) {
      const edgeAt = (index: number): number =>
        side * ((track.halfWidthM[index] as number) - EDGE_LINE_INSET_M);
      trace(chunk.edges, alongside(track, from, to, edgeAt));
    }
    trace(
      chunk.rubber,
      alongside(track, from, to, (index) => racingLine.offsetM[index] as number),
    );
    addRoadside(chunk, circuit, from, to);
    chunks.push(chunk);
  }
  return chunks;
}

type Extent = (halfWidthM: number) => readonly [number, number];

interface Point {
  readonly x: number;
  readonly y: number;
}

function place(track: Track, index: number, offsetAt: (index: number) => number): Point {
  const i = (index + track.count) % track.count;
  const offsetM = offsetAt(i);
  return {
    x: (track.x[i] as number) - (track.tangentY[i] as number) * offsetM,
    y: (track.y[i] as number) + (track.tangentX[i] as number) * offsetM,
  };
}

/**
 * Neighbouring pieces overlap by this share of a sample: enough to hide the seam, too little to be visible.
 */
const OVERLAP = 0.06;

/** Points beside the track from sample `from` to sample `to`, and a little beyond both. */
function alongside(track: Track, from: number, to: number, offsetAt: (index: number) => number): Point[] {
  const points: Point[] = [];
  for (let index = from; index <= to; index++) points.push(place(track, index, offsetAt));
  const [first, second] = [points[0] as Point, points[1] as Point];
  const [last, beforeLast] = [points.at(-1) as Point, points.at(-2) as Point];
  points[0] = beyond(second, first);
  points[points.length - 1] = beyond(beforeLast, last);
  return points;
}

function beyond(from: Point, to: Point): Point {
  return { x: to.x + (to.x - from.x) * OVERLAP, y: to.y + (to.y - from.y) * OVERLAP };
}

function band(track: Track, from: number, to: number, extent: Extent): Path2D {
  const path = new Path2D();
  addBand(path, track, from, to, extent);
  return path;
}

function addBand(path: Path2D, track: Track, from: number, to: number, extent: Extent): void {
  const offsetAt =
    (side: 0 | 1) =>
    (index: number): number =>
      extent(track.halfWidthM[index] as number)[side];
  trace(path, alongside(track, from, to, offsetAt(0)));
  for (const point of alongside(track, from, to, offsetAt(1)).toReversed()) path.lineTo(point.x, point.y);
  path.closePath();
}

function trace(path: Path2D, points: readonly Point[]): void {
  points.forEach((point, index) => {
    if (index === 0) path.moveTo(point.x, point.y);
    else path.lineTo(point.x, point.y);
  });
}

function addRoadside(chunk: TrackChunk, circuit: Circuit, from: number, to: number): void {
  const { track, roadside } = circuit;
  for (const side of [0, 1] as const) {
    const sign = side === 0 ? -1 : 1;
    for (let index = from; index < to; index++) {
      if (roadside.kerbs[side][index] === 1) {
        const path = index % 2 === 0 ? chunk.kerbRed : chunk.kerbWhite;
        addBand(path, track, index, index + 1, (half) => [sign * half, sign * (half + KERB_WIDTH_M)]);
      }
      if (roadside.gravel[side][index] !== 1) continue;
      const inner = GRAVEL_FROM_M;
      const outer = GRAVEL_FROM_M + GRAVEL_WIDTH_M;
      addBand(chunk.gravel, track, index, index + 1, (half) => [
        sign * (half + inner),
        sign * (half + outer),
      ]);
      addDots(chunk.gravelDots, track, index, sign);
    }
  }
}

function addDots(path: Path2D, track: Track, index: number, sign: number): void {
  for (let dot = 0; dot < 3; dot++) {
    // Any fixed scatter will do.
    const scatter = Math.abs(Math.sin(index * 12.9898 + dot * 78.233) * 43758.5453) % 1;
    const half = track.halfWidthM[index] as number;
    const offsetM = sign * (half + GRAVEL_FROM_M + 0.8 + scatter * (GRAVEL_WIDTH_M - 1.6));
    const pose = poseOnTrack(track, (index + ((scatter * 7) % 1)) * track.spacingM, offsetM);
    path.moveTo(pose.x + 0.22, pose.y);
    path.arc(pose.x, pose.y, 0.22, 0, Math.PI * 2);
  }
}
