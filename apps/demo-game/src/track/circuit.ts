import { controlPoints } from "./control-points.js";
import { poseOnTrack, type Track, type TrackPose, buildTrack } from "./track.js";
import { buildRoadside, type GravelBed, type Roadside } from "./surface.js";

/** The one circuit of the game: its geometry, its roadside and its grid. */
export interface Circuit {
  readonly name: string;
  readonly track: Track;
  readonly roadside: Roadside;
  readonly gravelBeds: readonly GravelBed[];
  /** Tyre walls stand this far from the centre line. */
  readonly wallDistanceM: number;
}

const START_LINE_M = 52;

/** Beds lie on the outside of the corners that are braked for hardest. Distances from the start line. */
const gravelBeds: readonly GravelBed[] = [
  { fromM: 190, toM: 292, side: -1 },
  { fromM: 402, toM: 466, side: 1 },
  { fromM: 556, toM: 634, side: -1 },
  { fromM: 664, toM: 692, side: -1 },
  { fromM: 704, toM: 738, side: 1 },
  { fromM: 772, toM: 830, side: -1 },
  { fromM: 918, toM: 976, side: -1 },
];

function buildCircuit(): Circuit {
  const track = buildTrack(controlPoints, START_LINE_M);
  return {
    name: "Paceline Ring",
    track,
    roadside: buildRoadside(track, gravelBeds),
    gravelBeds,
    wallDistanceM: 30,
  };
}

export const circuit: Circuit = buildCircuit();

const FIRST_SLOT_BEHIND_LINE_M = 7;
const SLOT_SPACING_M = 7.5;
const SLOT_OFFSET_M = 3.2;

/** The staggered grid: slot 0 is pole, on the left, which is the outside of turn 1's entry. */
export function gridSlot(track: Track, slot: number): TrackPose {
  const behindM = FIRST_SLOT_BEHIND_LINE_M + slot * SLOT_SPACING_M;
  return poseOnTrack(track, -behindM, slot % 2 === 0 ? -SLOT_OFFSET_M : SLOT_OFFSET_M);
}
