import { poseOnTrack, projectOnTrack } from "./track.js";
import type { Circuit, Look, SceneryPlan } from "./circuit.js";

/** A tree beside the track, out of reach of the cars. */
export interface Tree {
  readonly x: number;
  readonly y: number;
  readonly radiusM: number;
  readonly kind: number;
}

interface Board {
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
  readonly text: string;
  readonly lengthM: number;
}

export interface Scenery {
  readonly trees: readonly Tree[];
  readonly boards: readonly Board[];
  /** Lines of points along which tyre walls stand. */
  readonly walls: readonly (readonly { x: number; y: number }[])[];
  readonly stand: SceneryPlan["stand"];
  readonly lake: SceneryPlan["lake"];
  readonly look: Look;
}

const TREE_SPACING_M = 8.5;
const FOREST_MARGIN_M = 70;

/** A small random generator (mulberry32): every browser plants the same forest. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Yields every few milliseconds: each tree is compared with the whole track. */
export function* buildScenery(circuit: Circuit): Generator<void, Scenery> {
  const { scenery, look } = circuit;
  const { stand, lake } = scenery;
  const trees = yield* plantTrees(circuit);
  const left = buildWall(circuit, -1);
  yield;
  const right = buildWall(circuit, 1);
  return {
    trees,
    boards: placeBoards(circuit),
    walls: [...left, ...right],
    stand,
    lake,
    look,
  };
}

function* plantTrees(circuit: Circuit): Generator<void, Tree[]> {
  const { track, scenery } = circuit;
  const random = seeded(20);
  const trees: Tree[] = [];
  const left = Math.min(...track.x) - FOREST_MARGIN_M;
  const right = Math.max(...track.x) + FOREST_MARGIN_M;
  const top = Math.min(...track.y) - FOREST_MARGIN_M;
  const bottom = Math.max(...track.y) + FOREST_MARGIN_M;
  for (let gridY = top; gridY < bottom; gridY += TREE_SPACING_M) {
    yield;
    for (let gridX = left; gridX < right; gridX += TREE_SPACING_M) {
      const x = gridX + (random() - 0.5) * TREE_SPACING_M * 0.9;
      const y = gridY + (random() - 0.5) * TREE_SPACING_M * 0.9;
      const radiusM = 2.6 + random() * 2.6;
      const kind = Math.floor(random() * 3);
      const thinned = random() < scenery.thinned;
      const clearM = Math.abs(projectOnTrack(track, x, y).offsetM) - circuit.wallDistanceM;
      if (thinned || clearM < radiusM + 1 || isTaken(scenery, x, y, radiusM)) continue;
      trees.push({ x, y, radiusM, kind });
    }
  }
  return trees;
}

function isTaken({ lake, stand }: SceneryPlan, x: number, y: number, marginM: number): boolean {
  const inLake =
    Math.hypot((x - lake.x) / (lake.radiusX + marginM + 2), (y - lake.y) / (lake.radiusY + marginM + 2)) < 1;
  const nearStand =
    Math.abs(x - stand.x) < stand.widthM / 2 + marginM + 3 &&
    Math.abs(y - stand.y) < stand.depthM / 2 + marginM + 3;
  return inLake || nearStand;
}

function placeBoards({ track, scenery }: Circuit): Board[] {
  const board = (distanceM: number, offsetM: number, text: string, lengthM: number): Board => ({
    ...poseOnTrack(track, distanceM, offsetM),
    text,
    lengthM,
  });
  const signs = scenery.signs.map(([distanceM, offsetM, text]) => {
    const along = board(distanceM, offsetM, text, 3.6);
    return { ...along, headingRad: along.headingRad + Math.PI / 2 };
  });
  return [
    ...scenery.boards.map(([distanceM, offsetM]) => board(distanceM, offsetM, "PACELINE", 22)),
    ...signs,
  ];
}

/** The wall follows the track at a distance, but only where no other part of the track is nearer. */
function buildWall(circuit: Circuit, side: -1 | 1): { x: number; y: number }[][] {
  const { track, wallDistanceM } = circuit;
  const runs: { x: number; y: number }[][] = [];
  let run: { x: number; y: number }[] = [];
  for (let index = 0; index <= track.count; index++) {
    const pose = poseOnTrack(track, index * track.spacingM, side * wallDistanceM);
    const nearestM = Math.abs(projectOnTrack(track, pose.x, pose.y).offsetM);
    if (nearestM > wallDistanceM - 0.9) {
      run.push({ x: pose.x, y: pose.y });
    } else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  if (run.length > 0) runs.push(run);
  return runs.filter((points) => points.length > 1);
}
