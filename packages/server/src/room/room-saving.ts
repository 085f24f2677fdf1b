import {
  ConfigError,
  OUT_OF_VIEW,
  OWNER_COLUMN,
  PacketEntries,
  SnapshotReader,
  decodeValue,
  describeColumns,
  encodeValue,
  isFields,
  matchColumns,
  planState,
  readToAuthority,
  restore,
  wholeStateBits,
  type AuthorityInfo,
  type EntityDefinition,
  type EntityRows,
  type StatePlan,
} from "@paceline/protocol";
import type {
  GameCapture,
  RestoredRoom,
  SavedGame,
  SavedKind,
  SavedList,
  SavedPlayer,
} from "@paceline/relay";
import type { EntityRecord } from "../entities/world.js";
import type { Hooks } from "../hooks/hooks.js";
import { checkedPoint } from "../entities/sight.js";
import type { Mirrors } from "./mirrors.js";
import type { Player } from "./player.js";
import type { PlayerLifecycle } from "./player-lifecycle.js";
import type { PlayerRegistry } from "./player-registry.js";
import type { RoomClock } from "./room-clock.js";
import type { RoomEntities } from "./room-entities.js";
import type { RoomTimers } from "./room-timers.js";
import type { Room } from "./room.js";
import type { TickLoop } from "./tick-loop.js";

export interface RoomSavingOptions {
  readonly room: Room;
  readonly info: AuthorityInfo;
  readonly hooks: Hooks;
  readonly players: PlayerRegistry;
  readonly entities: RoomEntities;
  readonly lifecycle: PlayerLifecycle;
  readonly loop: TickLoop;
  readonly clock: RoomClock;
  readonly timers: RoomTimers;
  readonly mirrors: Mirrors;
}

/** A player of an earlier process. */
interface RestoredPlayer {
  readonly player: Player;
  readonly saved: SavedPlayer;
  /** True: its session goes on. False: only its seat does. */
  readonly isResumed: boolean;
}

type Take = (capture: GameCapture | string) => void;

/** Entities that are encoded together: a room with more is encoded in slices, between which other rooms run. */
const SLICE_ENTITIES = 1024;
/** Limit of the bits of a slice, if no state were coded. */
const SLICE_BITS = 1_000_000;
/** Limit of the columns of a slice, below that of a reader. */
const SLICE_COLUMNS = 100_000;
const HISTORY_TICKS = 4;
/** States of entities are saved as whole ones, of this tick. */
const SAVED_TICK = 0;
const NO_BYTES = new Uint8Array(0);

/** Saves the game's half of a room, and goes on with one of an earlier process. */
export class RoomSaving {
  readonly #options: RoomSavingOptions;
  /** Takes the save that the next step makes. */
  #due: Take | undefined;
  /** The options with which the room was opened. */
  #openedWith: unknown = {};
  /** Entities that `onCreate` has spawned, in the order of its calls. */
  readonly #made: EntityRecord[] = [];
  /** What `onCreate` had spawned in the first process; undefined in a new room. */
  #madeBefore: readonly number[] | undefined;
  /** Entities that `onCreate` has spawned again although they had gone. */
  readonly #gone: EntityRecord[] = [];
  #isCreating = false;
  /** Descriptions of the kinds, which are the same in each save. */
  #columns: readonly Uint8Array[] | undefined;

  constructor(options: RoomSavingOptions) {
    this.#options = options;
  }

  /** Saves at the end of the next step, when states and messages fit together; a final save is made at once. */
  save(isFinal: boolean, take: Take): void {
    if (!isFinal) return void (this.#due = take);
    this.#due = undefined;
    const { loop } = this.#options;
    // The states of this tick may be kept already, from before the messages since.
    loop.tick = (loop.tick + 1) >>> 0;
    take(this.#capture(true));
  }

  /** Called at the end of each step. */
  stepped(): void {
    const take = this.#due;
    this.#due = undefined;
    take?.(this.#capture(false));
  }

  /** Begins `onCreate`. `restored`: the room goes on from an earlier process. Returns a sentence if it cannot. */
  begin(openedWith: unknown, restored: RestoredRoom | undefined): string | undefined {
    this.#openedWith = openedWith;
    this.#isCreating = true;
    if (!restored) return undefined;
    this.#openedWith = decodeValue(restored.game.options)?.value ?? openedWith;
    this.#madeBefore = restored.game.made;
    return this.#restoreWorld(restored);
  }

  /** The options for `onCreate`. */
  get openedWith(): unknown {
    return this.#openedWith;
  }

  /**
   * Returns the entity for a spawn of `onCreate` in a restored room: that which the same spawn has made in the first
   * process. Undefined: the caller spawns one.
   */
  again(definition: EntityDefinition): EntityRecord | undefined {
    const id = this.#isCreating ? this.#madeBefore?.[this.#made.length] : undefined;
    const record = id === undefined ? undefined : this.#options.entities.world.records.get(id);
    if (record?.definition !== definition) return undefined;
    this.#made.push(record);
    return record;
  }

  /** Notes an entity that the room's code has spawned. */
  spawned(record: EntityRecord): void {
    if (!this.#isCreating) return;
    // The first process has despawned it since. It gets an id, so that the room's code can hold it.
    if (this.#madeBefore?.[this.#made.length] === 0) this.#gone.push(record);
    this.#made.push(record);
  }

  /** Ends `onCreate`, and calls `onRestore` in a restored room. Resolves with false if that fails. */
  async end(restored: RestoredRoom | undefined): Promise<boolean> {
    const { clock, entities, hooks, room, timers } = this.#options;
    this.#isCreating = false;
    if (!restored) return true;
    const { build, game, isOtherBuild } = restored;
    for (const record of this.#gone.splice(0)) entities.despawn(record, "before its room was restored");
    room.maxPlayers = game.maxPlayers;
    room.maxSpectators = game.maxSpectators;
    clock.restore(game.elapsedMs);
    const left = decodeValue(game.timers)?.value;
    if (left !== undefined) timers.restore(left);
    const data = decodeValue(game.data)?.value;
    const outcome = await hooks.wait("onRestore", async () => {
      const mine = isOtherBuild && room.migrate ? await room.migrate(data, build) : data;
      await room.onRestore?.(mine);
    });
    return outcome.ok;
  }

  #capture(isFinal: boolean): GameCapture | string {
    const { clock, entities, hooks, info, loop, room, timers } = this.#options;
    const { records } = entities.world;
    let problem: string | undefined;
    let game: SavedGame | undefined;
    hooks.call("onSave", () => {
      try {
        const players: SavedPlayer[] = [];
        for (const player of this.#options.players.values())
          if (player.isIn && !player.isBot) players.push(this.#savedPlayer(player, isFinal));
        game = {
          ...{ tick: loop.tick, tickHz: info.tickHz, elapsedMs: clock.elapsedMs, inputHash: info.inputHash },
          ...{ maxPlayers: room.maxPlayers, maxSpectators: room.maxSpectators, nextId: records.nextId },
          kinds: this.#kinds(),
          made: this.#made.map((record) => (records.holds(record) && this.#isSaved(record) ? record.id : 0)),
          players,
          lists: this.#lists(),
          options: encoded(this.#openedWith, "options"),
          timers: encoded(timers.save(), "timers"),
          data: room.onSave ? encoded(room.onSave(), "onSave()") : NO_BYTES,
        };
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        // A value that cannot be coded is named by its path. The stack of any other error is in the log.
        if (!(error instanceof ConfigError)) throw error;
      }
    });
    return game ? { game, states: this.#states() } : (problem ?? "onSave failed");
  }

  #kinds(): SavedKind[] {
    const { plans } = this.#options.entities.world;
    this.#columns ??= plans.map(({ definition }) => describeColumns(definition));
    return plans.map(({ definition }, kind) => {
      const { name, schemaHash } = definition;
      const count = this.#saved(definition).length;
      return { name, schemaHash, columns: this.#columns![kind]!, count };
    });
  }

  #lists(): SavedList[] {
    return this.#options.entities.world.plans.flatMap(({ definition }) =>
      this.#saved(definition).flatMap(({ id, collections }) =>
        collections
          .filter(({ bytes }) => bytes > 0)
          .map((list) => ({ entity: id, path: list.path, items: encoded([...list.contents()], list.path) })),
      ),
    );
  }

  #saved(definition: EntityDefinition): EntityRecord[] {
    return [...this.#options.entities.world.records.ofKind(definition)].filter((record) =>
      this.#isSaved(record),
    );
  }

  /** Returns false for what bots own, and for what mirrors make of the game's objects: both come anew. */
  #isSaved({ entity, owner }: EntityRecord): boolean {
    return !(owner as Player | undefined)?.isBot && !this.#options.mirrors.hasMade(entity);
  }

  #savedPlayer(player: Player, isFinal: boolean): SavedPlayer {
    const { entities, room } = this.#options;
    const { number, described, sight, states } = player;
    const path = `player ${number}`;
    const { from } = sight;
    return {
      number,
      auth: encoded(player.auth, `${path}.auth`),
      options: encoded(player.options, `${path}.options`),
      userData: encoded(player.userData, `${path}.userData`),
      terms: player.terms,
      // A save lacks the kinds that another build's page has described, and the past that a late spectator sees.
      isResumable: described.size === 0 && !(player.isSpectator && room.spectatorDelayMs > 0),
      ...entities.owned.save(player),
      removals: isFinal ? [...states.missingRemovals, ...this.#seen(player)] : [],
      from:
        from === undefined ? [] : "rows" in from ? [from.id] : Object.values(from).filter(Number.isFinite),
      watched: [...sight.watched].flatMap((record) => (record.despawned ? [] : [record.id])),
    };
  }

  /** Returns what the player has in view, as removals: the next process finds out what it still sees. */
  #seen({ states }: Player): number[] {
    const { sees } = states;
    if (!sees) return [];
    const { records } = this.#options.entities.world;
    return [...records.values()].flatMap(({ id }) => (sees(id) ? [id + OUT_OF_VIEW] : []));
  }

  /** Encodes the states of this tick, slice by slice. They are kept now, and may be encoded some ticks later. */
  *#states(): Generator<Uint8Array> {
    const { entities, loop } = this.#options;
    const { world } = entities;
    const { tick } = loop;
    const kept = world.plans.map((plan) => {
      const rows = this.#saved(plan.definition).map((record) => world.rowsAt(record, tick));
      return { plan, rows: rows.sort((a, b) => a.id - b.id) };
    });
    const entries = new PacketEntries();
    for (const [kind, { plan, rows }] of kept.entries()) {
      const most = Math.min(SLICE_ENTITIES, SLICE_BITS / wholeStateBits(plan), SLICE_COLUMNS / plan.width);
      const count = Math.max(1, Math.floor(most));
      for (let from = 0; from < rows.length; from += count) {
        entries.clear();
        for (const each of rows.slice(from, from + count)) entries.add(each, kind, placeOf(each, tick));
        const body = world.writer.write({ tick: SAVED_TICK, entries, removed: [], checked: -1 });
        const slice = new Uint8Array(1 + body.length);
        slice[0] = kind;
        slice.set(body, 1);
        yield slice;
      }
    }
  }

  /** Fills the world with the players and entities of an earlier process. Returns a sentence if it cannot. */
  #restoreWorld(restored: RestoredRoom): string | undefined {
    const { entities, info, loop } = this.#options;
    const { game, states } = restored;
    const { records } = entities.world;
    const mine = info.kinds.map(({ name, schemaHash }) => `${name} ${schemaHash}`).join();
    const isSame =
      mine === game.kinds.map(({ name, schemaHash }) => `${name} ${schemaHash}`).join() &&
      info.tickHz === game.tickHz &&
      info.inputHash === game.inputHash;
    loop.tick = game.tick;
    const players = this.#restorePlayers(restored, isSame);
    const problem = this.#restoreEntities(game, states, players);
    records.nextId = game.nextId;
    const listProblem = this.#restoreLists(restored);
    for (const each of players) this.#restoreView(each);
    return problem ?? listProblem;
  }

  /** Returns the players that still have a seat. */
  #restorePlayers({ game, participants }: RestoredRoom, isSame: boolean): RestoredPlayer[] {
    const { lifecycle } = this.#options;
    const byNumber = new Map(participants.map((participant) => [participant.number, participant]));
    return game.players.flatMap((saved) => {
      const participant = byNumber.get(saved.number);
      byNumber.delete(saved.number);
      if (!participant) return [];
      if (!isSame) participant.forgoSession();
      const options = decodeValue(saved.options)?.value;
      const seat = {
        options: isFields(options) ? (options as Record<string, string>) : {},
        auth: decodeValue(saved.auth)?.value,
        isSpectator: participant.room.isSpectator(participant),
        address: participant.address,
      };
      const player = lifecycle.restore(participant, seat);
      player.userData = decodeValue(saved.userData)?.value;
      return [{ player, saved, isResumed: participant.isResumable }];
    });
  }

  #restoreEntities(
    game: SavedGame,
    states: readonly Uint8Array[],
    players: readonly RestoredPlayer[],
  ): string | undefined {
    const { entities } = this.#options;
    const { owned, world } = entities;
    const owners = new Map(players.map(({ player }) => [player.number, player]));
    const simulated = simulatedBy(game, players);
    const plans = game.kinds.map((kind) => planOf(world.plans, kind, game.tickHz));
    for (const slice of states) {
      const plan = plans[slice[0] ?? plans.length];
      // A kind that this build of the game lacks.
      if (plan === undefined) continue;
      const reader = new SnapshotReader({
        plans: plans.map((each) => each ?? plan),
        historyTicks: HISTORY_TICKS,
        maxEntities: 0xffff,
      });
      let problem: string | undefined;
      const dropped = reader.read(slice.subarray(1), SAVED_TICK, {
        onState: (entity, tick, place) => {
          const { id, rows } = entity;
          const owner = owners.get(rows[place + OWNER_COLUMN]!);
          const own = simulated.get(id);
          // Its page spawns it again, with the state that it has there.
          if (own && !own.by?.isResumed) return;
          if (id === 0 || world.records.get(id)) return void (problem = `entity ${id} is in it twice`);
          const record = world.spawn(plan.definition, {}, owner, own ? "player" : "room", id);
          restore(plan, rows, place, record.state);
          record.setTexts(entity.textsAt(tick), plan.textOf);
          if (own?.by) owned.restore(own.by.player, own.localId, record, own.by.saved.ownTickHz);
        },
        onRemoved: () => undefined,
        onDesync: () => undefined,
      });
      if (dropped !== undefined || problem !== undefined)
        return problem ?? `its states are damaged (${dropped})`;
    }
    return undefined;
  }

  /** Fills the lists and maps of restored entities. Another build may have other fields, and other limits. */
  #restoreLists({ game, isOtherBuild }: RestoredRoom): string | undefined {
    const { records } = this.#options.entities.world;
    for (const { entity, path, items } of game.lists) {
      const list = records.get(entity)?.collections.find((each) => each.path === path);
      try {
        list?.fill(decodeValue(items)?.value);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (!isOtherBuild) return `its ${path} is damaged: ${error.message}`;
      }
    }
    return undefined;
  }

  /** Restores what a player looks from, and what states it wants. */
  #restoreView({ player, saved: { from, removals, terms, watched }, isResumed }: RestoredPlayer): void {
    const { records } = this.#options.entities.world;
    const [x, y, z] = from;
    if (x !== undefined && y !== undefined)
      player.sight.from = checkedPoint("viewpoint", z === undefined ? { x, y } : { x, y, z });
    else if (x !== undefined) player.sight.from = records.get(x);
    for (const id of watched) {
      const record = records.get(id);
      if (record) player.sight.watch(record);
    }
    if (!isResumed) return;
    for (const bytes of terms) {
      const message = readToAuthority(bytes);
      if (message?.type === "view" || message?.type === "kinds") player.setView(message);
    }
    player.states.announceRemovals(removals);
  }
}

/** Returns the place of a kept state. Throws if later states have taken it, since the room is too large for its history. */
function placeOf(rows: EntityRows, tick: number): number {
  const place = rows.find(tick);
  if (place >= 0) return place;
  throw new Error("it has too many entities to be encoded while their states are kept");
}

/** Returns a value as bytes; none for undefined. Throws {@link ConfigError} with the path of what is no plain data. */
function encoded(value: unknown, path: string): Uint8Array {
  return value === undefined ? NO_BYTES : encodeValue(value, path);
}

/** Returns the entities that players simulate, by the room's ids, with the player's own numbers for them. */
function simulatedBy(
  game: SavedGame,
  players: readonly RestoredPlayer[],
): ReadonlyMap<number, { readonly by: RestoredPlayer | undefined; readonly localId: number }> {
  const simulated = new Map<number, { readonly by: RestoredPlayer | undefined; readonly localId: number }>();
  for (const saved of game.players) {
    const by = players.find((each) => each.saved === saved);
    for (let at = 0; at + 1 < saved.own.length; at += 2)
      simulated.set(saved.own[at + 1]!, { by, localId: saved.own[at]! });
  }
  return simulated;
}

/** Returns the layout of a kind's saved states; undefined if this build of the game lacks the kind. */
function planOf(
  plans: readonly StatePlan[],
  { name, schemaHash, columns }: SavedKind,
  tickHz: number,
): StatePlan | undefined {
  const definition = plans.find((each) => each.definition.name === name)?.definition;
  if (!definition) return undefined;
  if (definition.schemaHash === schemaHash) return planState(definition, { tickHz });
  // Another build: fields are found by their names.
  return matchColumns(definition, columns, { tickHz })?.plan;
}
