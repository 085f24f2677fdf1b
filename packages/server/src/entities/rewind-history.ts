import { ConfigError, type EntityDefinition } from "@paceline/protocol";
import { EntityTable, LagCompensation, defineFields, type Place, type RewoundWorld } from "@paceline/netcode";
import type { RoomCounters } from "../ops/room-counters.js";
import type { EntityRecord, World } from "./world.js";

/** The fields of an entity. */
type AsItWas<Entity> = Readonly<Omit<Entity, "id" | "owner">>;

/** The world as somebody saw it. Valid while the callback runs. */
export interface Past {
  /** The tick that is looked at; it may lie between two. */
  readonly tick: number;
  /** Whether it is another one than was asked for, by more than a tick: nobody gets farther back than is allowed. */
  readonly isCapped: boolean;
  /** An entity as it was then, to be read only; undefined where it was not there, or has no position. */
  of<Entity extends { readonly id: number }>(entity: Entity): AsItWas<Entity> | undefined;
}

export interface RewindHistoryOptions {
  readonly definitions: readonly EntityDefinition[];
  readonly tickHz: number;
  /** The farthest look back, ms; 0: none. */
  readonly maxRewindMs: number;
  readonly counters: Pick<RoomCounters, "rewinds" | "rewindsCapped">;
}

/** Besides the round trip: what players wait for, jitter, and the step in which the message is read. */
const TOLERANCE_MS = 100;

/** The recent positions of all entities of a room, so that a shot is judged as its player saw it. */
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
      // Velocities that nobody writes are zero: between two ticks an entity goes straight, then.
      const layout = { ...motionLayout, ...(!motionLayout.isVelocityDeclared && { velocity: undefined }) };
      this.#kinds.set(definition, new LagCompensation({ layout, tickSeconds: 1 / tickHz, maxRewindMs }));
    }
  }

  /** Takes down where everything is at a tick. */
  record(tick: number, world: World): void {
    this.#tick = tick;
    if (this.#kinds.size === 0) return;
    for (const { id, definition, place } of world.records.values()) {
      this.#kinds.get(definition)?.record(id, tick, place.table.stateOf(place.row), this.#jumps.delete(id));
    }
  }

  /** The entity's next pose is another place: nothing was between. */
  jumped(id: number): void {
    if (this.#kinds.size > 0) this.#jumps.add(id);
  }

  forget({ id, definition }: EntityRecord): void {
    this.#kinds.get(definition)?.forget(id);
    this.#jumps.delete(id);
  }

  /**
   * Shows the world at `seenTick`, the word of a player whose round trip takes `rttMs`: nobody sees what is longer ago
   * than that, and nobody gets back farther than the room allows.
   */
  rewind<Result>(
    seenTick: number,
    rttMs: number | undefined,
    world: Pick<World, "recordOf">,
    judge: (past: Past) => Result,
  ): Result {
    const { tickHz, maxRewindMs } = this.#options;
    if (maxRewindMs === 0) {
      const expected = "above 0 in a room that looks back";
      throw new ConfigError({ field: "maxRewindMs", value: maxRewindMs, expected });
    }
    if (typeof seenTick !== "number") {
      throw new ConfigError({
        field: "seenTick",
        value: seenTick,
        expected: "a tick, as room.clock.shownTick says",
      });
    }
    const maxMs = Math.min(maxRewindMs, (rttMs ?? maxRewindMs) + TOLERANCE_MS);
    const earliest = this.#tick - (maxMs / 1000) * tickHz;
    const wanted = Number.isNaN(seenTick) ? earliest : seenTick;
    const tick = Math.min(this.#tick, Math.max(earliest, wanted));
    const past: Past = {
      tick,
      // A message that is swift is here before the tick that its sender has shown is over.
      isCapped: !(Math.abs(tick - seenTick) <= 1),
      of: <Entity extends { readonly id: number }>(entity: Entity) => {
        const { id, definition } = world.recordOf(entity);
        const place = this.#placeAt(definition, id, tick);
        if (!place) return undefined;
        const row = { place, layer: "state", isWritable: false } as const;
        return defineFields({}, definition, row) as unknown as AsItWas<Entity>;
      },
    };
    const { counters } = this.#options;
    counters.rewinds += 1;
    if (past.isCapped) counters.rewindsCapped += 1;
    return judge(past);
  }

  /** A row of an entity as it was. */
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
