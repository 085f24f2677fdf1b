import { ConfigError } from "@paceline/protocol";
import type { EntityRecord, Owner } from "./world.js";

/** A place, m. Of a place with a height, interest takes the two axes of the ground. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

/** Limit of the entities that a player watches. */
const MAX_WATCHED = 32;

/** The place from which a player looks, and the entities that it sees wherever they are, as the room's code said. */
export class Sight {
  /** Undefined: its own entity. */
  from: EntityRecord | Point | undefined = undefined;
  /** Changes with {@link watched}. */
  version = 0;
  readonly watched = new Set<EntityRecord>();

  watch(record: EntityRecord): void {
    for (const each of this.watched) if (each.despawned) this.watched.delete(each);
    if (!this.watched.has(record) && this.watched.size >= MAX_WATCHED)
      throw new ConfigError("entity", record.entity, `at most ${MAX_WATCHED} entities that a player watches`);
    this.watched.add(record);
    this.version += 1;
  }

  unwatch(record: EntityRecord): void {
    if (this.watched.delete(record)) this.version += 1;
  }
}

/** A player, as interest sees it. */
export interface Viewing {
  readonly owner: Owner;
  readonly sight: Sight;
}

/** Returns a checked viewpoint. Throws {@link ConfigError} for a place that is none. */
export function checkedPoint(field: string, point: Point): Point {
  const { x, y, z } = point;
  for (const [axis, value] of Object.entries({ x, y, ...(z !== undefined && { z }) }))
    if (!Number.isFinite(value)) throw new ConfigError(`${field}.${axis}`, value, "a finite number (m)");
  return z === undefined ? { x, y } : { x, y, z };
}
