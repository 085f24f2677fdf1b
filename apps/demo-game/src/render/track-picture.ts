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
      // One sample further than its neighbour begins: no hairline between chunks.
      verge: band(track, from, to + 1, (half) => [-half - VERGE_M, half + VERGE_M]),
      road: band(track, from, to + 1, (half) => [-half, half]),
      rubber: new Path2D(),
      edges: new Path2D(),
      kerbRed: new Path2D(),
      kerbWhite: new Path2D(),
    };
    addLine(
      chunk.edges,
      track,
      from,
      to,
      (index) => -(track.halfWidthM[index] as number) + EDGE_LINE_INSET_M,
    );
    addLine(chunk.edges, track, from, to, (index) => (track.halfWidthM[index] as number) - EDGE_LINE_INSET_M);
    addLine(chunk.rubber, track, from, to, (index) => racingLine.offsetM[index] as number);
    addRoadside(chunk, circuit, from, to);
    chunks.push(chunk);
  }
  return chunks;
}

type Extent = (halfWidthM: number) => readonly [number, number];

function place(track: Track, index: number, offsetM: number): { x: number; y: number } {
  const i = (index + track.count) % track.count;
  return {
    x: (track.x[i] as number) - (track.tangentY[i] as number) * offsetM,
    y: (track.y[i] as number) + (track.tangentX[i] as number) * offsetM,
  };
}

function band(track: Track, from: number, to: number, extent: Extent): Path2D {
  const path = new Path2D();
  addBand(path, track, from, to, extent);
  return path;
}

function addBand(path: Path2D, track: Track, from: number, to: number, extent: Extent): void {
  const halfAt = (index: number): number => track.halfWidthM[(index + track.count) % track.count] as number;
  for (let index = from; index <= to; index++) {
    const point = place(track, index, extent(halfAt(index))[0]);
    if (index === from) path.moveTo(point.x, point.y);
    else path.lineTo(point.x, point.y);
  }
  for (let index = to; index >= from; index--) {
    const point = place(track, index, extent(halfAt(index))[1]);
    path.lineTo(point.x, point.y);
  }
  path.closePath();
}

function addLine(
  path: Path2D,
  track: Track,
  from: number,
  to: number,
  offsetAt: (index: number) => number,
): void {
  // A sample more at either end: neighbours overlap, and as the colours are opaque no seam shows.
  for (let index = from - 1; index <= to + 1; index++) {
    const point = place(track, index, offsetAt((index + track.count) % track.count));
    if (index === from - 1) path.moveTo(point.x, point.y);
    else path.lineTo(point.x, point.y);
  }
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
