import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

/** Ways in which bots walk. */
export const walkNames = ["random-waypoint", "hotspot", "trace"] as const;
/** One of {@link walkNames}. */
export type WalkName = (typeof walkNames)[number];

/** Where bots are, s after the begin, on a square ground of which each edge is as long as `edgeM`. */
export interface Walk {
  /** Returns where a bot is, and true if it moves. Times must not go back. */
  at(bot: number, seconds: number): { readonly x: number; readonly y: number; readonly isMoving: boolean };
}

/** Options of {@link walkOf}. */
export interface WalkOptions {
  readonly name: WalkName;
  readonly bots: number;
  readonly edgeM: number;
  /** Folder of recorded traces, for the walk `trace`. */
  readonly data?: string | undefined;
  /** Default: `Math.random`. */
  readonly random?: () => number;
}

/** Returns a walk. Throws an error with a message for the user if there is no trace. */
export function walkOf({ name, bots, edgeM, data, random = Math.random }: WalkOptions): Walk {
  if (name === "trace") {
    if (data === undefined) throw new Error("data: expected the folder of recorded traces, got none");
    return new TraceWalk(data, edgeM);
  }
  return new WaypointWalk(bots, edgeM, name === "hotspot" ? HOT_SHARE : 0, random);
}

/** MilMo's test clients send so often while they move, and one message in so long while they stand. */
export const MOVING_UPDATE_SECONDS = 1 / 3;
export const STANDING_UPDATE_SECONDS = 10;
/** They walk for so long, and then stand for as long. */
const PHASE_SECONDS = 30;
const SPEED_MPS = 3;
/** Share of the players at a hot spot, which has 1 % of the world. */
const HOT_SHARE = 0.3;
const HOT_SHARE_OF_EDGE = 0.1;

interface Walker {
  readonly minM: number;
  readonly edgeM: number;
  readonly phase: number;
  x: number;
  y: number;
  toX: number;
  toY: number;
  seconds: number;
}

/** Bots that walk straight to random places at a constant speed for 30 s, and stand for 30 s. */
class WaypointWalk implements Walk {
  readonly #walkers: Walker[];
  readonly #random: () => number;

  constructor(bots: number, edgeM: number, hotShare: number, random: () => number) {
    this.#random = random;
    this.#walkers = Array.from({ length: bots }, (_, bot) => {
      const isHot = bot < bots * hotShare;
      const ownM = isHot ? edgeM * HOT_SHARE_OF_EDGE : edgeM;
      const minM = (edgeM - ownM) / 2;
      const place = (): number => minM + random() * ownM;
      const phase = random() * 2 * PHASE_SECONDS;
      return { minM, edgeM: ownM, phase, x: place(), y: place(), toX: place(), toY: place(), seconds: 0 };
    });
  }

  at(bot: number, seconds: number): ReturnType<Walk["at"]> {
    const walker = this.#walkers[bot]!;
    const moved = movedBefore(seconds + walker.phase) - movedBefore(walker.seconds + walker.phase);
    walker.seconds = seconds;
    this.#go(walker, moved * SPEED_MPS);
    return {
      x: walker.x,
      y: walker.y,
      isMoving: (seconds + walker.phase) % (2 * PHASE_SECONDS) < PHASE_SECONDS,
    };
  }

  #go(walker: Walker, distanceM: number): void {
    for (let leftM = distanceM; leftM > 0;) {
      const [dx, dy] = [walker.toX - walker.x, walker.toY - walker.y];
      const toM = Math.hypot(dx, dy);
      const share = toM > leftM ? leftM / toM : 1;
      walker.x += dx * share;
      walker.y += dy * share;
      if (share < 1) return;
      leftM -= toM;
      walker.toX = walker.minM + this.#random() * walker.edgeM;
      walker.toY = walker.minM + this.#random() * walker.edgeM;
    }
  }
}

/** Returns for how long somebody has walked in so many seconds who begins with walking, s. */
function movedBefore(seconds: number): number {
  const cycles = Math.floor(seconds / (2 * PHASE_SECONDS));
  return cycles * PHASE_SECONDS + Math.min(seconds - cycles * 2 * PHASE_SECONDS, PHASE_SECONDS);
}

/** One recorded entity: x and y, m, and how many a second. */
interface Track {
  readonly hz: number;
  readonly places: readonly number[];
}

const TRACE_COLUMNS = 14;
/** A recorded entity that is slower stands. */
const STANDING_MPS = 0.1;

/** Bots that follow recorded entities, over and over, each later than the one before that follows the same. */
class TraceWalk implements Walk {
  readonly #tracks: readonly Track[];
  readonly #scale: number;
  readonly #minX: number;
  readonly #minY: number;

  /** Reads all traces of a folder: a NAME.json beside a NAME.f32.gz or a NAME.rows.f32.gz. */
  constructor(folder: string, edgeM: number) {
    this.#tracks = tracksIn(folder);
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { places } of this.#tracks)
      for (let at = 0; at < places.length; at += 2) {
        [minX, maxX] = [Math.min(minX, places[at]!), Math.max(maxX, places[at]!)];
        [minY, maxY] = [Math.min(minY, places[at + 1]!), Math.max(maxY, places[at + 1]!)];
      }
    [this.#minX, this.#minY] = [minX, minY];
    this.#scale = edgeM / Math.max(maxX - minX, maxY - minY, Number.MIN_VALUE);
  }

  at(bot: number, seconds: number): ReturnType<Walk["at"]> {
    const { hz, places } = this.#tracks[bot % this.#tracks.length]!;
    const count = places.length / 2;
    const round = Math.floor(bot / this.#tracks.length);
    // Golden ratio: followers of one entity are spread over its recording.
    const frame = Math.floor(seconds * hz + round * count * 0.618_034) % count;
    const next = Math.min(frame + 1, count - 1);
    const [x, y] = [places[2 * frame]!, places[2 * frame + 1]!];
    const speed = Math.hypot(places[2 * next]! - x, places[2 * next + 1]! - y) * hz;
    return {
      x: (x - this.#minX) * this.#scale,
      y: (y - this.#minY) * this.#scale,
      isMoving: speed >= STANDING_MPS,
    };
  }
}

function tracksIn(folder: string): Track[] {
  if (!existsSync(folder)) throw new Error(`data: there is no folder "${folder}"`);
  const tracks: Track[] = [];
  for (const file of readdirSync(folder).sort()) {
    const [, name, rows] = /^(.+?)(\.rows)?\.f32\.gz$/.exec(file) ?? [];
    const head = path.join(folder, `${name}.json`);
    if (name === undefined || !existsSync(head)) continue;
    const { hz, entities } = JSON.parse(readFileSync(head, "utf8")) as { hz: number; entities: number };
    const { buffer, byteOffset, byteLength } = gunzipSync(readFileSync(path.join(folder, file)));
    const floats = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength - (byteLength % 4)));
    const places = rows === undefined ? placesInFrames(floats, entities) : placesInRows(floats);
    // Somebody who was there for less than a second walks nowhere.
    for (const own of places) if (own.length >= 2 * hz) tracks.push({ hz, places: own });
  }
  if (tracks.length > 0) return tracks;
  throw new Error(`data: no trace in "${folder}", which is a NAME.json beside a NAME.f32.gz`);
}

/** Returns the places of each entity, from frames with a time and 14 numbers for each entity. */
function placesInFrames(floats: Float32Array, entities: number): number[][] {
  const places: number[][] = Array.from({ length: entities }, () => []);
  const frameFloats = 1 + TRACE_COLUMNS * entities;
  for (let start = 0; start + frameFloats <= floats.length; start += frameFloats)
    for (let entity = 0; entity < entities; entity++) {
      const at = start + 1 + TRACE_COLUMNS * entity;
      // An entity that is absent has no place.
      if (floats[at] !== 0) places[entity]!.push(floats[at + 1]!, floats[at + 2]!);
    }
  return places;
}

/** Returns the places of each entity, from rows of frame, entity, x, y and velocity. */
function placesInRows(floats: Float32Array): Iterable<number[]> {
  const places = new Map<number, number[]>();
  for (let at = 0; at + 6 <= floats.length; at += 6) {
    const entity = floats[at + 1]!;
    let own = places.get(entity);
    if (!own) places.set(entity, (own = []));
    own.push(floats[at + 2]!, floats[at + 3]!);
  }
  return places.values();
}
