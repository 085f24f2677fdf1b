import { ConfigError, HISTORY_TICKS, type EntityDefinition } from "@paceline/protocol";
import type { WritableFields } from "@paceline/netcode";
import type { Scheduler } from "@paceline/transport";
import { Ground } from "../interest/ground.js";
import type { Point } from "../entities/sight.js";
import { InterestReplicator } from "../interest/interest-replicator.js";
import { Viewpoints } from "../interest/viewpoints.js";
import { RewindHistory } from "../entities/rewind-history.js";
import { World, type EntityRecord } from "../entities/world.js";
import type { HookLog } from "../hooks/hook-log.js";
import type { Hooks, Tariff } from "../hooks/hooks.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { Breach } from "../players/plausibility.js";
import { Replicator, type RoomReplicator } from "../states/replicator.js";
import { OwnedStates, type BreachAnswer } from "./owned-states.js";
import type { Player } from "./player.js";
import type { PlayerRegistry } from "./player-registry.js";
import type { Room } from "./room.js";
import { RoomLists } from "./room-lists.js";
import { SpectatorStream } from "./spectator-stream.js";

/**
 * An entity of a room, for the room's code. A scalar or vector out of its range is clamped, and logged once
 * for each field. Other values that a field cannot have throw `ConfigError`. If a player simulates the
 * entity, its fields hold the player's newest checked state. A despawned entity keeps its last values: writes
 * and teleports have no effect then, and are logged once for each kind.
 */
export type ServerEntity<D extends EntityDefinition = EntityDefinition> = WritableFields<D["fields"]> & {
  readonly id: number;
  /** The definition of the entity. */
  readonly kind: D;
  /** The player that owns the entity. Undefined if none does. */
  readonly owner: Player | undefined;
  /** Makes the next state a teleport: clients show the entity there at once, without movement. */
  teleport(): void;
};

export interface RoomEntitiesOptions {
  readonly room: Room;
  readonly scheduler: Scheduler;
  readonly hooks: Hooks;
  readonly hookLog: Pick<HookLog, "clamped" | "misjudged" | "stale" | "shortOfBudget">;
  readonly counters: RoomCounters;
  readonly players: PlayerRegistry;
  /** Limit of the entities of all players together. */
  readonly maxOwned: number;
}

/** The entities of a room: those that it simulates and those of its players, and what is sent of them. */
export class RoomEntities {
  readonly world: World;
  readonly replicator: RoomReplicator;
  readonly ground: Ground;
  readonly #viewpoints: Viewpoints;
  readonly spectators: SpectatorStream;
  readonly lists: RoomLists;
  readonly rewinding: RewindHistory;
  readonly owned: OwnedStates;
  readonly #options: RoomEntitiesOptions;
  readonly #breachTariff: Tariff = { packets: 0 };

  constructor(options: RoomEntitiesOptions) {
    const { room, scheduler, hookLog, counters, players, maxOwned } = options;
    this.#options = options;
    const { tickHz, entities: definitions, maxRewindMs, stateBytesPerSecond: bytesPerSecond } = room;
    const kept = { definitions, tickHz, historyTicks: HISTORY_TICKS, counters };
    this.world = new World({
      ...kept,
      onClamp: (clamp) => hookLog.clamped(clamp),
      onTeleport: (record) => this.#teleport(record),
      onStale: (record) => hookLog.stale(record.definition.name, record.departure(scheduler.nowMs())),
    });
    const { shortOfBudget: onShortage } = hookLog;
    const { world } = this;
    this.ground = new Ground(definitions, room.interest?.ground);
    this.#viewpoints = new Viewpoints(world, this.ground);
    this.replicator = room.interest
      ? new InterestReplicator({
          ...{ world, tickHz, bytesPerSecond, interest: room.interest },
          ground: this.ground,
          viewpoints: this.#viewpoints,
          nowMs: () => scheduler.nowMs(),
          onFault: (fault) => hookLog.misjudged(fault),
          counters,
        })
      : new Replicator({ world, tickHz, bytesPerSecond, onShortage });
    this.spectators = new SpectatorStream({
      ...kept,
      world: this.world,
      delayMs: room.spectatorDelayMs,
      bytesPerSecond,
      players,
    });
    const { spectators } = this;
    this.lists = new RoomLists({
      ...{ world, tickHz, players, spectators },
      hasInterest: room.interest !== undefined,
    });
    this.rewinding = new RewindHistory({ ...kept, maxRewindMs });
    this.owned = new OwnedStates({
      world: this.world,
      rules: room.playerEntities,
      counters,
      maxEntities: maxOwned,
      nowSeconds: () => scheduler.nowMs() / 1000,
      despawn: (record, why) => this.despawn(record, why),
      answer: (player, { entity }, breach) => this.#onBreach(player, entity, breach),
    });
  }

  /** Despawns an entity. `why` says by whom, for the messages about later uses of it. */
  despawn(record: EntityRecord, why: string): void {
    // The game may end what its player's leave has ended.
    if (record.despawned) return;
    const { players, scheduler } = this.#options;
    record.despawned = { atMs: scheduler.nowMs(), why };
    this.#viewpoints.ending(record);
    this.replicator.removed(
      record,
      players.statesOf((player) => !this.spectators.isDelayed(player)),
    );
    this.lists.removed(record.id);
    this.rewinding.forget(record);
    this.world.remove(record);
    this.owned.removed(record);
  }

  /** Returns the players who look from a place that is at most `radiusM` from another one, m. */
  near(place: Point, radiusM: number, players: Iterable<Player>): Player[] {
    const [x, y] = [place.x, this.ground.yOfPoint(place)];
    return [...players].filter((player) => {
      if (this.spectators.isDelayed(player)) return false;
      const from = this.#viewpoints.placeOf({ owner: player, sight: player.sight });
      return from !== undefined && Math.hypot(from[0] - x, from[1] - y) <= radiusM;
    });
  }

  /** Despawns the entities of a player that has left. */
  despawnAllOf(player: Player): void {
    for (const record of [...this.world.records.values()]) {
      if (record.owner === player) this.despawn(record, `when player ${player.number} left`);
    }
  }

  /** Tells all players again which entities the player owns, since its page was reloaded. */
  announceOwner(player: Player): void {
    for (const record of this.world.records.values()) {
      if (record.owner === player) this.replicator.setOwner(record, player);
    }
  }

  /**
   * Gives an entity to another player, or to none. Throws {@link ConfigError} for a despawned one, for one that
   * another player simulates, since its game would go on to simulate it, and as {@link ownerOf} does.
   */
  give(entity: object, owner: Player | undefined): void {
    this.replicator.setOwner(this.#givableRecordOf(entity, owner), owner && this.ownerOf(owner));
    this.lists.given();
  }

  /** Returns the player as an owner of entities. Throws {@link ConfigError} if the room has forgotten it. */
  ownerOf(player: Player): Player {
    const { players, scheduler } = this.#options;
    const { presence } = players.of(player);
    if (presence.at !== "left" || presence.forgottenAtMs === undefined) return player;
    const ago = `player ${player.number} left ${Math.round(scheduler.nowMs() - presence.forgottenAtMs)} ms ago`;
    throw new ConfigError("player", player, `a player who is in this room (${ago})`);
  }

  #givableRecordOf(entity: object, owner: Player | undefined): EntityRecord {
    const record = this.world.recordOf(entity);
    const { authority, definition, despawned, owner: last } = record;
    if (despawned) {
      const departure = record.departure(this.#options.scheduler.nowMs());
      throw new ConfigError("entity", entity, `an entity that is in this room (${departure})`);
    }
    if (authority === "room" || owner === last) return record;
    const cure = `player ${last!.number} simulates this ${definition.name}: despawn it and spawn another one`;
    throw new ConfigError("entity", entity, `an entity that the room simulates (${cure})`);
  }

  #teleport(record: EntityRecord): void {
    this.replicator.teleport(record);
    this.rewinding.jumped(record.id);
  }

  #onBreach(player: Player, entity: object, breach: Breach): BreachAnswer {
    const { hooks, room } = this.#options;
    let answer: BreachAnswer = "correct";
    const ask = (): void => {
      answer = room.onBreach?.(player, entity, breach) ?? answer;
    };
    hooks.call("onBreach", ask, { payer: player.participant, tariff: this.#breachTariff });
    return answer;
  }
}
