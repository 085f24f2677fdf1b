import { seededRandom } from "@paceline/testkit";
import { RandomWaypoints, hotSpotAreas, type Square } from "../interest/random-waypoints.js";

/**
 * Places of the entities. `all-in-view`: everybody sees everybody. `three-hubs`: three crowds like that, far apart.
 * `uniform`: everywhere alike. `hot-spot`: 30 % of the entities stay in 1 % of the world.
 */
export type Distribution = "all-in-view" | "three-hubs" | "uniform" | "hot-spot";

/** A world of walking entities. The first ones belong to the receivers, one to each. */
export interface WorldShape {
  readonly distribution: Distribution;
  readonly entities: number;
  readonly receivers: number;
  readonly tickHz: number;
  /** Entities within the radius if they were everywhere alike. Of no use to crowds. */
  readonly aimedInView: number;
  /** The room's limit of states for each receiver. */
  readonly bytesPerSecond: number;
  /** Scheme of the room's interest. Default: squares. */
  readonly interest?: SchemeName;
}

/** Schemes of interest that are compared. */
export type SchemeName = "squares" | "hexagons" | "quadtree" | "aura";

/** View distance in a world without crowds, m. */
const RADIUS_M = 50;
/** Edge of a crowd, and a view distance that is longer than its diagonal, m. */
const CROWD_M = 100;
const CROWD_RADIUS_M = 150;
export const HUBS = 3;
const HUB_DISTANCE_M = 1000;
const HOT_SHARE = 0.3;
const HOT_SPOT_SHARE_OF_EDGE = 0.1;
const SEED = 1;

interface Geometry {
  readonly radiusM: number;
  readonly edgeM: number;
  readonly areaOf: (id: number) => Square;
}

export function geometryOf({ distribution, entities, aimedInView }: WorldShape): Geometry {
  if (distribution === "all-in-view") {
    const crowd: Square = { minM: [0, 0], edgeM: CROWD_M };
    return { radiusM: CROWD_RADIUS_M, edgeM: CROWD_M, areaOf: () => crowd };
  }
  if (distribution === "three-hubs") {
    const hubs = Array.from({ length: HUBS }, (_, hub): Square => {
      return { minM: [hub * HUB_DISTANCE_M, hub * HUB_DISTANCE_M], edgeM: CROWD_M };
    });
    const edgeM = (HUBS - 1) * HUB_DISTANCE_M + CROWD_M;
    return { radiusM: CROWD_RADIUS_M, edgeM, areaOf: (id) => hubs[id % HUBS]! };
  }
  const edgeM = RADIUS_M * Math.sqrt((Math.PI * entities) / aimedInView);
  const hotShare = distribution === "hot-spot" ? HOT_SHARE : 0;
  const hotSpotM = edgeM * HOT_SPOT_SHARE_OF_EDGE;
  return { radiusM: RADIUS_M, edgeM, areaOf: hotSpotAreas({ entities, edgeM, hotShare, hotSpotM }) };
}

/** Returns the walk of a world. Every process that makes it sees the same walk, tick by tick. */
export function walkOf(shape: WorldShape): RandomWaypoints {
  const { entities, tickHz } = shape;
  return new RandomWaypoints({
    entities,
    tickHz,
    random: seededRandom(SEED),
    areaOf: geometryOf(shape).areaOf,
  });
}

/** Returns the mean number of other entities within the radius of a receiver. */
export function meanInView(shape: WorldShape, places: Float64Array): number {
  const { entities, receivers } = shape;
  const { radiusM } = geometryOf(shape);
  let seen = 0;
  for (let viewer = 0; viewer < receivers; viewer++) {
    for (let id = 0; id < entities; id++) {
      const dx = places[2 * id]! - places[2 * viewer]!;
      const dy = places[2 * id + 1]! - places[2 * viewer + 1]!;
      if (id !== viewer && dx * dx + dy * dy <= radiusM * radiusM) seen += 1;
    }
  }
  return seen / receivers;
}
