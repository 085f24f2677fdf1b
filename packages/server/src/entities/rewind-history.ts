import { ConfigError, type EntityDefinition } from "@paceline/protocol";
import { EntityTable, LagCompensation, newFields, type Place, type RewoundWorld } from "@paceline/netcode";
import type { RoomCounters } from "../ops/room-counters.js";
import type { EntityRecord, World, WorldOptions } from "./world.js";

/** The fields of an entity at an earlier tick. */
type AsItWas<Entity> = Readonly<Omit<Entity, "id" | "owner">>;

/** The world as a player saw it. Valid while the callback runs. */
export interface Past {
  /** The tick of this view. It may be a fraction, between two ticks. */
  readonly tick: number;
  /** True if the requested tick was clamped to the allowed window, by more than a tick. */
  readonly isCapped: boolean;
  /**
   * Returns an entity's fields at that tick, read-only. Returns undefined if the entity did not exist then,
   * was despawned since, or has no position.
   */
  of<Entity extends { readonly id: number }>(entity: Entity): AsItWas<Entity> | undefined;
}

export interface RewindHistoryOptions extends Pick<WorldOptions, "definitions" | "tickHz"> {
  /** Longest rewind, ms. 0: none. */
  readonly maxRewindMs: number;
  readonly counters: Pick<RoomCounters, "rewinds" | "rewindsCapped">;
}

/**
 * Allowed rewind beyond the round trip, ms: for the interpolation delay, jitter, and the step in which the
 * message is read.
 */
const TOLERANCE_MS = 100;

/**
 * Keeps the recent positions of all entities of a room, so that a game can judge a shot as its player saw it.
 */
export class RewindHistory {
  readonly #options: RewindHistoryOptions;
  readonly #kinds = new Map<EntityDefinition, LagCompensation<number>>();
  readonly #jumps = new Set<number>();
  #tick = 0;

  constructor(options: RewindHistoryOptions) {
    const { definitions, tickHz, maxRewindMs } = options;
    this.#options = options;
    for (const definition of maxRewindMs > 0 ? definitions : []) {
      const { motionLayout } = definition;
      if (!motionLayout) continue;
      // A velocity that the game does not declare is always zero. Without it the history interpolates in a
      // straight line.
      const layout = { ...motionLayout, ...(!motionLayout.isVelocityDeclared && { velocity: undefined }) };
      this.#kinds.set(definition, new LagCompensation({ layout, tickSeconds: 1 / tickHz, maxRewindMs }));
    }
  }

  /** Records the poses of all entities at a tick. */
  record(tick: number, world: World): void {
    this.#tick = tick;
    if (this.#kinds.size === 0) return;
    for (const { id, definition, place } of world.records.values()) {
      this.#kinds.get(definition)?.record(id, tick, place.table.stateOf(place.row), this.#jumps.delete(id));
    }
  }

  /**
   * Marks the entity's next pose as a teleport: the history does not interpolate between it and the last one.
   */
  jumped(id: number): void {
    if (this.#kinds.size > 0) this.#jumps.add(id);
  }

  forget({ id, definition }: EntityRecord): void {
    this.#kinds.get(definition)?.forget(id);
    this.#jumps.delete(id);
  }

  /**
   * Calls `judge` with the world at `seenTick`, which a player claims to have seen. Clamps the tick to the
   * round trip `rttMs` plus a tolerance, and to the room's longest rewind. Without a round trip only the
   * tolerance is left: a player that answers nothing must not gain by it.
   */
  rewind<Result>(
    seenTick: number,
    rttMs: number | undefined,
    world: Pick<World, "recordOf">,
    judge: (past: Past) => Result,
  ): Result {
    const { tickHz, maxRewindMs } = this.#options;
    if (maxRewindMs === 0) {
      throw new ConfigError("maxRewindMs", maxRewindMs, "above 0 in a room that looks back");
    }
    if (typeof seenTick !== "number") {
      throw new ConfigError("seenTick", seenTick, "a tick, as room.clock.shownTick says");
    }
    const maxMs = Math.min(maxRewindMs, (rttMs ?? 0) + TOLERANCE_MS);
    const earliest = this.#tick - (maxMs / 1000) * tickHz;
    const wanted = Number.isNaN(seenTick) ? earliest : seenTick;
    const tick = Math.min(this.#tick, Math.max(earliest, wanted));
    const past: Past = {
      tick,
      // A fast message arrives before the end of the tick that its sender shows: allow a difference of one
      // tick.
      isCapped: !(Math.abs(tick - seenTick) <= 1),
      of: <Entity extends { readonly id: number }>(entity: Entity) => {
        const { id, definition, despawned, collections } = world.recordOf(entity);
        const place = despawned ? undefined : this.#placeAt(definition, id, tick);
        if (!place) return undefined;
        // Lists and maps have no past: they are those of now.
        const row = { place, layer: "state", isWritable: false, collections } as const;
        return newFields(definition, row) as unknown as AsItWas<Entity>;
      },
    };
    const { counters } = this.#options;
    counters.rewinds += 1;
    if (past.isCapped) counters.rewindsCapped += 1;
    return judge(past);
  }

  /** Returns a row with the entity's pose at a tick, or undefined if the entity did not exist then. */
  #placeAt(definition: EntityDefinition, id: number, tick: number): Place | undefined {
    const kind = this.#kinds.get(definition);
    if (!kind) return undefined;
    const table = new EntityTable(definition, 1);
    const place = { table, row: table.allocate() };
    const isThere = kind.rewind(tick, (rewound: RewoundWorld<number>) =>
      rewound.poseOf(id, table.stateOf(place.row)),
    );
    return isThere ? place : undefined;
  }
}
