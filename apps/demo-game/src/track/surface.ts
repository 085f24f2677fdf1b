import { projectOnTrack, sampleIndexAt, type Track, type TrackPosition } from "./track.js";

export type Surface = "road" | "kerb" | "grass" | "gravel";

/**
 * A surface's effect on a car: share of the road's grip, and a deceleration of `resistanceMps2 +
 * resistancePerSecond * speed`.
 */
export interface SurfaceEffect {
  readonly grip: number;
  readonly resistanceMps2: number;
  readonly resistancePerSecond: number;
}

export const surfaceEffects: Readonly<Record<Surface, SurfaceEffect>> = {
  road: { grip: 1, resistanceMps2: 0, resistancePerSecond: 0 },
  kerb: { grip: 0.94, resistanceMps2: 0.2, resistancePerSecond: 0 },
  grass: { grip: 0.6, resistanceMps2: 0.6, resistancePerSecond: 0.19 },
  gravel: { grip: 0.52, resistanceMps2: 1, resistancePerSecond: 0.3 },
};

export const KERB_WIDTH_M = 1.5;
/** Distance of the gravel from the edge of the road, and its width. */
export const GRAVEL_FROM_M = 4;
export const GRAVEL_WIDTH_M = 13;

type Side = -1 | 1;

/** Kerbs and gravel beds, per sample of the centre line; index 0 of each pair is the left side. */
export interface Roadside {
  readonly kerbs: readonly [Uint8Array, Uint8Array];
  readonly gravel: readonly [Uint8Array, Uint8Array];
}

export interface GravelBed {
  readonly fromM: number;
  readonly toM: number;
  readonly side: Side;
}

/** Corners tighter than this get kerbs. */
const KERB_RADIUS_M = 72;
const APEX_KERB_MARGIN_M = 4;
/** Shift of the outer kerb, because cars run wide after the apex. */
const EXIT_KERB_SHIFT_M = 16;

export function buildRoadside(track: Track, gravelBeds: readonly GravelBed[]): Roadside {
  const flags = (): [Uint8Array, Uint8Array] => [new Uint8Array(track.count), new Uint8Array(track.count)];
  const roadside: Roadside = { kerbs: flags(), gravel: flags() };
  const margin = Math.round(APEX_KERB_MARGIN_M / track.spacingM);
  const shift = Math.round(EXIT_KERB_SHIFT_M / track.spacingM);
  for (let index = 0; index < track.count; index++) {
    const curvature = track.curvature[index] as number;
    if (Math.abs(curvature) < 1 / KERB_RADIUS_M) continue;
    const inner = curvature > 0 ? 1 : 0;
    for (let step = -margin; step <= margin; step++) mark(roadside.kerbs[inner], index + step);
    mark(roadside.kerbs[1 - inner] as Uint8Array, index + shift);
  }
  for (const bed of gravelBeds) {
    for (let at = bed.fromM; at < bed.toM; at += track.spacingM) {
      mark(roadside.gravel[bed.side < 0 ? 0 : 1], sampleIndexAt(track, at));
    }
  }
  return roadside;
}

function mark(flags: Uint8Array, index: number): void {
  flags[(index + flags.length) % flags.length] = 1;
}

/** The surface `offsetM` to the right of the centre line, abreast of a position from `projectOnTrack`. */
export function surfaceAtOffset(
  track: Track,
  roadside: Roadside,
  at: TrackPosition,
  offsetM: number,
): Surface {
  const outside = Math.abs(offsetM) - at.halfWidthM;
  if (outside <= 0) return "road";
  const side = offsetM < 0 ? 0 : 1;
  const index = sampleIndexAt(track, at.distanceM);
  if (outside <= KERB_WIDTH_M && roadside.kerbs[side][index] === 1) return "kerb";
  const inBed = outside >= GRAVEL_FROM_M && outside <= GRAVEL_FROM_M + GRAVEL_WIDTH_M;
  return inBed && roadside.gravel[side][index] === 1 ? "gravel" : "grass";
}

export function surfaceAt(track: Track, roadside: Roadside, x: number, y: number): Surface {
  const at = projectOnTrack(track, x, y);
  return surfaceAtOffset(track, roadside, at, at.offsetM);
}
