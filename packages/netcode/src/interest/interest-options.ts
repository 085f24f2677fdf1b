import {
  ConfigError,
  assertFunction,
  assertObject,
  assertRange,
  assertWhole,
  checkKeys,
} from "@paceline/protocol";
import { InterestScheme } from "./interest-scheme.js";

/** A ring of detail around a viewer. */
interface InterestRing {
  /** Outer radius, m. A cell enters the ring at 0.9 of it, and leaves at 1.0. */
  readonly radiusM: number;
  /** Ticks between two states of an entity, 1 to 64. Default 1: every tick. */
  readonly everyTicks?: number;
  /** Position error from which a state is sent, 0.001 to 1000 m. Default: that of the entity's definition. */
  readonly thresholdM?: number;
}

/** A rectangle of the ground, m. */
export interface Rectangle {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/**
 * The entities that concern a viewer, as a game describes it. One of `radiusM` and `rings` is enough:
 * `static interest = { radiusM: 80 }`.
 */
export interface InterestOptions {
  /** View distance, 1 to 100,000 m. Stands for two rings: every tick up to half of it, every second tick beyond. */
  readonly radiusM?: number;
  /** One to four rings, the nearest first. Entities beyond the last are not sent. */
  readonly rings?: readonly InterestRing[];
  /**
   * Edge of a cell, m. Default: half of the outer radius, or what {@link scheme} says. Smaller cells send less from beyond the radius,
   * larger ones are shared by more viewers.
   */
  readonly cellM?: number;
  /** Limit of entities in one view, 1 to 4096. Default 256. Entities that are always relevant do not count. */
  readonly maxEntities?: number;
  /** Limit of states for one viewer, 1000 to 100,000,000 bytes per second. Default 131,072. */
  readonly bytesPerSecond?: number;
  /** The ground on which entities move, m. Positions outside it count as on its border. */
  readonly world?: Rectangle;
  /**
   * The game's exact rule: false hides the entity from the viewer. Viewers of a room with such a rule share no
   * cells. It is not asked about entities to which the viewer is bound. If it throws, the entity is hidden.
   */
  readonly relevant?: (viewer: number, entity: number) => boolean;
  /**
   * Returns true if something at any place of `to` can be seen from any place of `from`: walls, rooms. Asked
   * once for each pair of cells within the radius, when a viewer first comes to `from`. If it throws, `to` is
   * hidden.
   */
  readonly cellVisible?: (from: Rectangle, to: Rectangle) => boolean;
  /** How the ground is divided, or perceived: `hexagons()`, `quadtree()`, `aura()`. Default: squares. */
  readonly scheme?: InterestScheme | undefined;
}

/** A level of detail: how often, and how exactly, entities of a cell are sent. */
export interface InterestLevel {
  readonly everyTicks: number;
  /** Undefined: the threshold of the entity's definition. */
  readonly thresholdM: number | undefined;
}

/** {@link InterestOptions}, checked and complete. */
export interface InterestPlan {
  /** Outer radius of each ring, m. */
  readonly radiiM: readonly number[];
  /** Levels of detail: one for each ring, then rarer ones for crowds. */
  readonly levels: readonly InterestLevel[];
  readonly cellM: number;
  /**
   * Distance that changes nothing, m: an entity changes cells when it is farther outside its own, and a viewer's
   * rings are measured again when it has moved farther.
   */
  readonly borderM: number;
  /** Largest distance beyond the outer radius at which an entity may still be sent, m. */
  readonly marginM: number;
  /** Cells between the centre of a viewer's window and its edge. */
  readonly reach: number;
  readonly world: Rectangle;
  readonly cols: number;
  readonly rows: number;
  readonly maxEntities: number;
  readonly bytesPerSecond: number;
  readonly relevant: InterestOptions["relevant"];
  readonly cellVisible: InterestOptions["cellVisible"];
  readonly scheme: InterestScheme | undefined;
}

/** Share of a radius, or of a limit, at which something enters; it leaves at the whole, so that it does not flicker. */
export const ENTER_SHARE = 0.9;
const MAX_RINGS = 4;
const MAX_RING_TICKS = 64;
/** Slowest rate to which a crowd degrades the nearest ring, ticks. */
const MAX_CROWD_TICKS = 16;
const CELLS_PER_RADIUS = 2;
/** Limit of cells between a viewer's cell and the edge of its view: a view of 33 x 33 cells. */
const MAX_REACH = 16;
const BORDER_SHARE = 0.1;
/** Limit of cells of a world: 512 x 512, 2 MB. */
const MAX_CELLS = 262_144;
const MAX_RADIUS_M = 100_000;

const optionNames: readonly (keyof InterestOptions)[] = [
  "radiusM",
  "rings",
  "cellM",
  "maxEntities",
  "bytesPerSecond",
  "world",
  "relevant",
  "cellVisible",
  "scheme",
];

/**
 * Fills in the defaults. Throws {@link ConfigError} naming field, value, range and unit.
 *
 * @param world the ground, if the options name none: the range of the positions, m
 */
export function interestPlan(options: InterestOptions, world: Rectangle): InterestPlan {
  checkKeys("interest", options, optionNames);
  const rings = checkedRings(options);
  const { maxEntities = 256, bytesPerSecond = 131_072, relevant, cellVisible, scheme } = options;
  assertWhole("interest.maxEntities", maxEntities, { min: 1, max: 4096, unit: "entities" });
  assertRange("interest.bytesPerSecond", bytesPerSecond, [1000, 100_000_000, "bytes per second"]);
  if (relevant !== undefined) assertFunction("interest.relevant", relevant);
  if (cellVisible !== undefined) assertFunction("interest.cellVisible", cellVisible);
  if (scheme !== undefined && !(scheme instanceof InterestScheme))
    throw new ConfigError("interest.scheme", scheme, "hexagons(), quadtree() or aura()");
  const radiiM = rings.map(({ radiusM }) => radiusM);
  const ground = checkedWorld(options.world ?? world);
  const outerM = radiiM.at(-1)!;
  const cellM = checkedCell(options.cellM, outerM, ground, scheme);
  const borderM = cellM * BORDER_SHARE;
  return {
    radiiM,
    levels: [...rings.map(levelOf), ...crowdLevels(rings.at(-1)!)],
    cellM,
    borderM,
    marginM: Math.SQRT2 * (cellM + 2 * borderM) + 2 * borderM,
    reach: reachOf(cellM, outerM),
    world: ground,
    cols: cellsAlong(ground.maxX - ground.minX, cellM),
    rows: cellsAlong(ground.maxY - ground.minY, cellM),
    maxEntities,
    bytesPerSecond,
    relevant,
    cellVisible,
    scheme,
  };
}

function checkedRings({ radiusM, rings }: InterestOptions): readonly InterestRing[] {
  if (rings === undefined) {
    assertRange("interest.radiusM", radiusM, [1, MAX_RADIUS_M, "m"]);
    return [{ radiusM: radiusM! / 2 }, { radiusM: radiusM!, everyTicks: 2 }];
  }
  if (radiusM !== undefined) throw new ConfigError("interest.radiusM", radiusM, "nothing beside rings");
  if (!Array.isArray(rings) || rings.length < 1 || rings.length > MAX_RINGS)
    throw new ConfigError("interest.rings", rings, `a list of 1 to ${MAX_RINGS} rings`);
  for (let index = 0; index < rings.length; index++) checkRing(rings, index);
  return rings as readonly InterestRing[];
}

/** Throws unless the ring is farther out than the one before it, and no more frequent. */
function checkRing(rings: readonly InterestRing[], index: number): void {
  const at = `interest.rings[${index}]`;
  const ring = rings[index]!;
  checkKeys(at, ring, ["radiusM", "everyTicks", "thresholdM"]);
  const before = rings[index - 1];
  assertRange(`${at}.radiusM`, ring.radiusM, [1, MAX_RADIUS_M, "m"]);
  if (before && ring.radiusM <= before.radiusM)
    throw new ConfigError(`${at}.radiusM`, ring.radiusM, `more than ${before.radiusM} m, the ring before it`);
  const min = before?.everyTicks ?? 1;
  assertWhole(`${at}.everyTicks`, ring.everyTicks ?? 1, { min, max: MAX_RING_TICKS, unit: "ticks" });
  if (ring.thresholdM !== undefined) assertRange(`${at}.thresholdM`, ring.thresholdM, [0.001, 1000, "m"]);
}

function levelOf({ everyTicks = 1, thresholdM }: InterestRing): InterestLevel {
  return { everyTicks, thresholdM };
}

/** Returns levels beyond the last ring's, each half as frequent and half as exact as the one before it. */
function crowdLevels(last: InterestRing): InterestLevel[] {
  const levels: InterestLevel[] = [];
  let { everyTicks, thresholdM } = levelOf(last);
  while (everyTicks * 2 <= MAX_CROWD_TICKS) {
    everyTicks *= 2;
    thresholdM = thresholdM && thresholdM * 2;
    levels.push({ everyTicks, thresholdM });
  }
  return levels;
}

function checkedWorld(world: Rectangle): Rectangle {
  assertObject("interest.world", world);
  checkKeys("interest.world", world, ["minX", "minY", "maxX", "maxY"]);
  const { minX, minY, maxX, maxY } = world;
  for (const [name, value] of Object.entries({ minX, minY }))
    if (!Number.isFinite(value))
      throw new ConfigError(`interest.world.${name}`, value, "a finite number (m)");
  for (const [name, value, min] of [
    ["maxX", maxX, minX],
    ["maxY", maxY, minY],
  ] as const) {
    if (Number.isFinite(value) && value > min) continue;
    throw new ConfigError(`interest.world.${name}`, value, `a finite number above ${min} (m)`);
  }
  return { minX, minY, maxX, maxY };
}

/** Returns the edge of a cell, m: large enough for the limits of cells in a view and in the world. */
function checkedCell(
  cellM: number | undefined,
  outerM: number,
  world: Rectangle,
  scheme: InterestScheme | undefined,
): number {
  const { cellsPerRadius = CELLS_PER_RADIUS, cellsPerSquare = 1, finestShare = 1 } = scheme?.parts ?? {};
  const [widthM, heightM] = [world.maxX - world.minX, world.maxY - world.minY];
  const mostCells = Math.floor(MAX_CELLS / cellsPerSquare);
  const fits = (edgeM: number) => cellsAlong(widthM, edgeM) * cellsAlong(heightM, edgeM) <= mostCells;
  let leastM = Math.max(Math.sqrt((widthM * heightM) / mostCells), widthM / mostCells, heightM / mostCells);
  while (!fits(leastM)) leastM *= 1.01;
  if (cellM === undefined) {
    const chosenM = Math.max(outerM / cellsPerRadius, leastM);
    if (chosenM <= outerM) return chosenM;
    const most = `a world of at most ${mostCells} cells of ${outerM} m, the outer radius`;
    throw new ConfigError("interest.world", `${widthM} x ${heightM} m`, most);
  }
  const ofViewM = Math.ceil((outerM / (MAX_REACH - 1.4) / finestShare) * 1000) / 1000;
  assertRange("interest.cellM", cellM, [ofViewM, MAX_RADIUS_M, `m, for an outer radius of ${outerM} m`]);
  if (fits(cellM)) return cellM;
  const expected = `at least ${leastM.toFixed(3)} m in a world of ${widthM} x ${heightM} m`;
  throw new ConfigError("interest.cellM", cellM, expected);
}

function cellsAlong(lengthM: number, cellM: number): number {
  return Math.max(1, Math.ceil(lengthM / cellM));
}

/** Returns the number of cells from a viewer's own to the farthest that may be in view, with the borders of both. */
function reachOf(cellM: number, outerM: number): number {
  return Math.floor(outerM / cellM + 3 * BORDER_SHARE) + 1;
}
