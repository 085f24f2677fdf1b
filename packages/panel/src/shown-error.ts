import type { Entity, Room } from "@paceline/client";

interface Place {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

interface Drawn extends Required<Place> {
  readonly atMs: number;
}

interface Track {
  lastTick: number;
  /** Shown positions of the last frames, oldest first. */
  readonly drawn: Drawn[];
}

/** How long shown positions are kept, ms. An older state cannot be compared. */
const KEPT_MS = 2000;
/** Limits the work per frame. */
const MAX_ENTITIES = 64;

/**
 * Measures how far from the truth other entities were shown. When a state arrives, its position is compared
 * with the position that was shown at the moment of the state. That moment follows from this machine's
 * estimate of the owner's clock.
 */
export class ShownError {
  readonly #room: Pick<Room, "kinds" | "entities" | "nowMs">;
  readonly #tracks = new Map<Entity, Track>();
  #sinceM: number[] = [];

  constructor(room: Pick<Room, "kinds" | "entities" | "nowMs">) {
    this.#room = room;
  }

  /** Records the shown positions. Call it once per frame. */
  observe(): void {
    const nowMs = this.#room.nowMs();
    const seen = new Set<Entity>();
    for (const definition of this.#room.kinds) {
      if (!definition.motionLayout) continue;
      for (const entity of this.#room.entities(definition)) {
        if (entity.isMine || seen.size >= MAX_ENTITIES) continue;
        seen.add(entity);
        this.#sample(entity, nowMs);
      }
    }
    for (const entity of this.#tracks.keys()) if (!seen.has(entity)) this.#tracks.delete(entity);
  }

  take(): number[] {
    const found = this.#sinceM;
    this.#sinceM = [];
    return found;
  }

  #sample(entity: Entity, nowMs: number): void {
    const shown = placeOf(entity.shown);
    const { lastTick } = entity;
    const track = this.#tracks.get(entity) ?? { lastTick, drawn: [] };
    this.#tracks.set(entity, track);
    if (lastTick !== track.lastTick) {
      track.lastTick = lastTick;
      const was = shownAt(track.drawn, nowMs - entity.ageMs);
      const truth = placeOf(entity);
      if (was) this.#sinceM.push(Math.hypot(was.x - truth.x, was.y - truth.y, was.z - truth.z));
    }
    track.drawn.push({ ...shown, atMs: nowMs });
    while (nowMs - (track.drawn[0]?.atMs ?? nowMs) > KEPT_MS) track.drawn.shift();
  }
}

function placeOf(values: unknown): Required<Place> {
  const { x, y, z = 0 } = (values as { readonly position: Place }).position;
  return { x, y, z };
}

/**
 * Interpolates linearly between two frames. Returns undefined before the first frame and after the last one.
 */
function shownAt(drawn: readonly Drawn[], atMs: number): Required<Place> | undefined {
  const after = drawn.findIndex((frame) => frame.atMs >= atMs);
  const [from, to] = [drawn[after - 1], drawn[after]];
  if (!from || !to) return undefined;
  const share = (atMs - from.atMs) / Math.max(1e-9, to.atMs - from.atMs);
  const between = (axis: "x" | "y" | "z"): number => from[axis] + (to[axis] - from[axis]) * share;
  return { x: between("x"), y: between("y"), z: between("z") };
}
