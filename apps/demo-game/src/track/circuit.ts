import type { ControlPoint } from "./spline.js";
import { poseOnTrack, type Track, type TrackPose, buildTrack } from "./track.js";
import { buildRoadside, type GravelBed, type Roadside } from "./surface.js";

/** The colours of the ground and of what grows on it. */
export interface Look {
  readonly lawn: string;
  readonly lawnStripe: string;
  readonly undergrowth: string;
  readonly undergrowthEdge: string;
  readonly wallShadow: string;
  /** Colours of three kinds of trees, and of their lit sides. */
  readonly trees: readonly string[];
  readonly treeLights: readonly string[];
}

/** Scenery beside the road. */
export interface SceneryPlan {
  /** Share of the places for trees that stay empty. */
  readonly thinned: number;
  readonly stand: {
    readonly x: number;
    readonly y: number;
    readonly widthM: number;
    readonly depthM: number;
  };
  readonly lake: {
    readonly x: number;
    readonly y: number;
    readonly radiusX: number;
    readonly radiusY: number;
  };
  /** Advertising along the road: distance along the lap and offset to the right, m. */
  readonly boards: readonly (readonly [distanceM: number, offsetM: number])[];
  /** Signs with the distance to a corner, at right angles to the road. */
  readonly signs: readonly (readonly [distanceM: number, offsetM: number, text: string])[];
}

/** A circuit as data. */
export interface CircuitPlan {
  readonly name: string;
  readonly points: readonly ControlPoint[];
  /** Distance of the start line along the curve of the points, m. */
  readonly startLineM: number;
  /** Gravel outside the corners before which cars brake hardest. Distances count from the start line. */
  readonly gravelBeds: readonly GravelBed[];
  /** Distance of the tyre walls from the centre line. */
  readonly wallDistanceM: number;
  readonly scenery: SceneryPlan;
  readonly look: Look;
}

/** A circuit of the game: its geometry, its roadside and its grid. */
export interface Circuit extends CircuitPlan {
  readonly track: Track;
  readonly roadside: Roadside;
}

export function buildCircuit(plan: CircuitPlan): Circuit {
  const track = buildTrack(plan.points, plan.startLineM);
  return { ...plan, track, roadside: buildRoadside(track, plan.gravelBeds) };
}

const FIRST_SLOT_BEHIND_LINE_M = 7;
const SLOT_SPACING_M = 7.5;
const SLOT_OFFSET_M = 3.2;

/** The staggered grid: slot 0 is pole position, on the left. */
export function gridSlot(track: Track, slot: number): TrackPose {
  const behindM = FIRST_SLOT_BEHIND_LINE_M + slot * SLOT_SPACING_M;
  return poseOnTrack(track, -behindM, slot % 2 === 0 ? -SLOT_OFFSET_M : SLOT_OFFSET_M);
}
