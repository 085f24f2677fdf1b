import {
  CloseCode,
  assertRange,
  writeEvent,
  writePeerPayload,
  type AnswerOf,
  type AskOf,
  type EntityDefinition,
  type InputDefinition,
  type JoinOptionsOf,
  type MessagesToClients,
  type MessagesToServer,
  type RequestsOf,
  type RoomTypes,
} from "@paceline/protocol";
import { EntityList, assignFields, type InitialFields } from "@paceline/netcode";
import type { Persistence, RestoredRoom, RoomCallbacks, RoomOptions } from "@paceline/relay";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Cancel } from "@paceline/transport";
import { checkedPoint, type Point } from "../entities/sight.js";
import type { RoomInterest } from "../interest/room-interest.js";
import type { Past } from "../entities/rewind-history.js";
import type { MessageLimits } from "../players/message-allowance.js";
import type { Breach } from "../players/plausibility.js";
import type { PlayerLimits } from "../players/player-limits.js";
import type { BreachAnswer, PlayerEntities } from "./owned-states.js";
import type { Player } from "./player.js";
import type { BotOptions, Bots } from "./room-bots.js";
import type { RoomClock } from "./room-clock.js";
import { checkedMetadata } from "./room-metadata.js";
import { newRoomParts, type RoomParts, type RoomSetup } from "./room-parts.js";
import type { ServerEntity } from "./room-entities.js";

/** A player's request to join. */
export interface AuthRequest {
  readonly roomName: string;
  /** The client's join options, checked by the room class's `optionsSchema`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's `authToken`; empty if it has none. */
  readonly token: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Gives the client a token of at most 3000 characters. The client stores it and sends it as its token the
   * next time.
   */
  keepIdentity(token: string): void;
}

/**
 * The answer to an error: end the room, or continue it. Undefined: as {@link Room.onUncaughtException} does
 * by default.
 */
export type UncaughtAnswer = "end" | "continue" | undefined | void;

type Name<T> = keyof T & string;

/** Largest distance of {@link Room.near}, m. */
const MAX_NEAR_M = 1_000_000;

/** Options of {@link Room.broadcast}: the players that do not get the message. */
export interface BroadcastOptions {
  readonly except?: Player | readonly Player[];
}

/**
 * An authoritative room. A game extends it for each kind of room, with the hooks that it needs. Every hook
 * may be async. A hook that throws, rejects or does not end in time is counted and logged; other rooms are
 * not affected.
 */
export abstract class Room<Types extends RoomTypes = RoomTypes> {
  /** Types of the messages and requests of this room, for the type checker only. Undefined at run time. */
  declare readonly types: Types;
  /** Checks the clients' join options, before `onAuth`. Any Standard Schema validator. */
  static readonly optionsSchema: StandardSchemaV1 | undefined = undefined;
  /** Join options that must be equal for players to meet in a room. Default: none. */
  static readonly filterBy: readonly string[] = [];
  /** True: players with different builds of the game (the client's `build`) may meet. Default: false. */
  static readonly mixesBuilds: boolean = false;
  /**
   * Keeps rooms of this class over restarts and crashes of the server, which saves them so often:
   * `{ everySeconds: 1 }`. Default: they end with the server. See docs/guides/rooms-that-live-on.md.
   */
  static readonly persistent: Persistence | undefined = undefined;

  /** Limit of players, 1 to 1000. Default 16. */
  maxPlayers = 16;
  /** @deprecated It is called {@link maxPlayers}. */
  declare readonly maxClients?: never;
  /** @deprecated It is called {@link maxPlayers}. */
  declare readonly maxPeers?: never;
  /** Most spectators in addition to the players, 0 to 1000. Default 0. */
  maxSpectators = 0;
  /** Delay of spectators after players, 0 to 60000 ms. Default 0. */
  readonly spectatorDelayMs: number = 0;
  /** Longest {@link rewind}, 0 to 1000 ms. Default 0: the room keeps no history. */
  readonly maxRewindMs: number = 0;
  /** Steps per second, 1 to 255. Default 30. */
  readonly tickHz: number = 30;
  /** Definitions of the room's kinds of entities, at most 64. The client needs the same definitions. */
  readonly entities: readonly EntityDefinition[] = [];
  /**
   * Kinds of entities that players may own and simulate themselves, with the limits of their motion. Default:
   * none.
   */
  readonly playerEntities: readonly PlayerEntities[] = [];
  /** The input of a player for one tick, made by `defineInput`. Default: none. */
  readonly inputs: InputDefinition | undefined = undefined;
  /**
   * Time for which the seat of a disconnected player is kept, 0 to 3600 s. Default 20.
   * {@link allowReconnection} overrides it.
   */
  readonly reconnectSeconds: number = 20;
  /**
   * Limit of the states for each player, 1000 to 100000000 bytes per second. Default 131072. If there is more
   * to send, the entities with the smallest errors wait.
   */
  readonly stateBytesPerSecond: number = 131_072;
  /**
   * What concerns a player: with `{ radiusM: 80 }` it gets the entities within 80 m of its own one, or of its
   * `viewpoint`, and no byte about others. Default: everybody gets all entities. See docs/guides/interest.md.
   */
  readonly interest: RoomInterest<Player, ServerEntity> | undefined = undefined;
  /**
   * Limits of a player's messages and requests. Further ones are dropped and counted, and the player gets a
   * notice.
   */
  readonly messageLimits: Partial<MessageLimits> = {};
  /**
   * Limits of a player's spawns, despawns, requests for states, lists of kinds and view changes. See
   * docs/guides/authority.md.
   */
  readonly playerLimits: Partial<PlayerLimits> = {};
  #parts: RoomParts | undefined;

  /**
   * Decides whether a player may join, before the server looks for a room. The result is `player.auth`. A
   * falsy result refuses the player, and so does a {@link Refusal}, whose message the player gets. Default:
   * everybody may join.
   */
  static onAuth(_request: AuthRequest): unknown {
    return true;
  }

  /**
   * Called when the first player opens the room. If it fails, the players that wait for the room are refused.
   */
  onCreate?(options: JoinOptionsOf<Types>): unknown;
  /** Called when a player joins. If it fails or throws a {@link Refusal}, the player does not get in. */
  onJoin?(player: Player<this["inputs"]>, options: JoinOptionsOf<Types>, auth: unknown): unknown;
  /** Called for a message whose type has no handler. Without this hook such messages are refused. */
  onAnyMessage?(player: Player<this["inputs"]>, type: string, message: unknown): unknown;
  /**
   * Called for each step of the simulation, which lasts `seconds`. The room does not wait for its promise.
   */
  onTick?(seconds: number, tick: number): unknown;
  /**
   * Called when a player's own entity exceeds its limits. Default: `correct`, which puts it back to where it
   * was.
   */
  onBreach?(player: Player<this["inputs"]>, entity: object, breach: Breach): BreachAnswer;
  /**
   * Called when a player's link is lost. The player's seat is kept for a while. Not called if the player's next link is
   * in use before the server reads the end of the last one: then the player was never away, and {@link onReconnect} is
   * not called either.
   */
  onDrop?(player: Player<this["inputs"]>): unknown;
  /** Called when a player is back. `player` is the same object, also after a reload. */
  onReconnect?(player: Player<this["inputs"]>): unknown;
  /** Called when a player has left. Afterwards the entities that it still owns are despawned. */
  onLeave?(player: Player<this["inputs"]>, code: number): unknown;
  /**
   * Called when the server takes no more players and will stop. Players in the room may go on for a while.
   */
  onDrain?(): unknown;
  /**
   * Returns what the game holds beside its entities, as plain data, whenever a persistent room is saved. Entities,
   * players with their `userData`, metadata and named timers are saved without it.
   */
  onSave?(): unknown;
  /**
   * Called in a room that goes on after a restart of the server, after `onCreate`, with what {@link onSave} had
   * returned. All players are away, and come back with {@link onReconnect}.
   */
  onRestore?(saved: unknown): unknown;
  /**
   * Turns what another build of the game has saved into what this one expects. Its result goes to {@link onRestore}.
   * `from`: that build; empty if it had no name.
   */
  migrate?(saved: unknown, from: string): unknown;
  /** Called when the room ends, after every `onJoin` and `onLeave` has ended. */
  onDispose?(): unknown;

  /**
   * Called for an error in this room, after it is counted and logged. `hook` names its source: a hook,
   * `onMessage` or `onRequest` for their handlers, `mirror` for {@link mirror}, `clock` for timers of {@link clock}, `uncaughtException`
   * for another timer or event that a hook started, `unhandledRejection` for a promise that nothing awaited,
   * `step` or `timer` for the library itself. Default: `end` after `uncaughtException`, `step` and `timer`,
   * else `continue`.
   */
  onUncaughtException?(error: unknown, hook: string): UncaughtAnswer | PromiseLike<UncaughtAnswer>;

  get roomId(): string {
    return this.#opened.hosted.id;
  }

  get roomName(): string {
    return this.#opened.hosted.name;
  }

  /** Short code of the room, to give to friends: `client.joinById(code)`. */
  get code(): string {
    return this.#opened.hosted.code;
  }

  /** Players by number, in the order of joining, without spectators. */
  get players(): ReadonlyMap<number, Player<this["inputs"]>> {
    return this.#opened.players.players;
  }

  /** Spectators by number. The room calls its hooks for them too: see `player.isSpectator`. */
  get spectators(): ReadonlyMap<number, Player<this["inputs"]>> {
    return this.#opened.players.spectators;
  }

  /** Tick of the newest step. */
  get tick(): number {
    return this.#opened.loop.tick;
  }

  /** The room's time, and timers that end with it. */
  get clock(): RoomClock {
    return this.#opened.clock;
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#opened.hosted.metadata;
  }

  get isLocked(): boolean {
    return this.#opened.hosted.isLocked;
  }

  /**
   * Creates an entity that everybody sees. The room simulates it, even if a player owns it. Throws
   * {@link ConfigError} for an owner who is not in the room any more: nothing would despawn the entity.
   */
  spawn<D extends EntityDefinition>(
    definition: D,
    initial: InitialFields<D["fields"]> = {},
    owner?: Player,
  ): ServerEntity<D> {
    const { entities, saving } = this.#opened;
    const known = owner && entities.ownerOf(owner);
    const again = saving.again(definition);
    const record = again ?? entities.world.spawn(definition, initial, known);
    if (!again) saving.spawned(record);
    return record.entity as unknown as ServerEntity<D>;
  }

  /** Removes an entity. Has no effect on one that was despawned before, for example at its player's leave. */
  despawn(entity: object): void {
    const { entities } = this.#opened;
    entities.despawn(entities.world.recordOf(entity), "by the room's code");
  }

  /** Returns all entities of a kind. Each use of the list shows those that are there then. */
  entitiesOf<D extends EntityDefinition>(definition: D): EntityList<ServerEntity<D>> {
    const { records } = this.#opened.entities.world;
    return new EntityList(function* () {
      for (const { entity } of records.ofKind(definition)) yield entity as unknown as ServerEntity<D>;
    });
  }

  /**
   * Returns an entity that the room has once, such as a score. The first call spawns it, without an owner.
   */
  only<D extends EntityDefinition>(definition: D): ServerEntity<D> {
    for (const entity of this.entitiesOf(definition)) if (!entity.owner) return entity;
    // Not by `spawn`: a restored room has it already, so that the spawns of `onCreate` would be counted differently.
    const { world } = this.#opened.entities;
    return world.spawn(definition, {}, undefined).entity as unknown as ServerEntity<D>;
  }

  /**
   * Gives the entity to another player, or to none. Throws as {@link spawn} does, for a despawned entity, and
   * for one that its player simulates.
   */
  give(entity: object, owner: Player | undefined): void {
    this.#opened.entities.give(entity, owner);
  }

  /**
   * Runs `judge` with the world as a player saw it at `seenTick`, and returns its result. `seenTick` is the
   * client's `room.clock.shownTick`. It is only a claim, so it is clamped to `maxRewindMs`, and to 100 ms more
   * than the shortest round trip that pongs, acks or receipts of the player show. Throws {@link ConfigError} in a room without `maxRewindMs`.
   */
  rewind<Result>(player: Player, seenTick: number, judge: (past: Past) => Result): Result {
    const { entities, players } = this.#opened;
    const { provenRttMs } = players.of(player).participant.session;
    return entities.rewinding.rewind(seenTick, provenRttMs, entities.world, judge);
  }

  /** Sets the handler of a message type. The schema, any Standard Schema validator, checks messages first. */
  onMessage<Type extends Name<MessagesToServer<Types>>>(
    type: Type,
    handler: (player: Player<this["inputs"]>, message: MessagesToServer<Types>[Type]) => unknown,
  ): void;
  onMessage<Schema extends StandardSchemaV1>(
    type: Name<MessagesToServer<Types>>,
    schema: Schema,
    handler: (player: Player<this["inputs"]>, message: StandardSchemaV1.InferOutput<Schema>) => unknown,
  ): void;
  onMessage(type: string, ...rest: readonly unknown[]): void {
    const { schema, handler } = schemaAndHandler(rest);
    this.#opened.handlers.listen(type, schema, handler);
  }

  /** Sets the handler of a request type. The reply is its result, or what its promise resolves to. */
  onRequest<Type extends Name<RequestsOf<Types>>>(
    type: Type,
    handler: (
      player: Player<this["inputs"]>,
      message: AskOf<RequestsOf<Types>[Type]>,
    ) => AnswerOf<RequestsOf<Types>[Type]> | PromiseLike<AnswerOf<RequestsOf<Types>[Type]>>,
  ): void;
  onRequest<Type extends Name<RequestsOf<Types>>, Schema extends StandardSchemaV1>(
    type: Type,
    schema: Schema,
    handler: (
      player: Player<this["inputs"]>,
      message: StandardSchemaV1.InferOutput<Schema>,
    ) => AnswerOf<RequestsOf<Types>[Type]> | PromiseLike<AnswerOf<RequestsOf<Types>[Type]>>,
  ): void;
  onRequest(type: string, ...rest: readonly unknown[]): void {
    const { schema, handler } = schemaAndHandler(rest);
    this.#opened.handlers.answer(type, schema, handler);
  }

  /**
   * Sends everybody in `players` a message that arrives exactly once and in order. In `onJoin` this includes
   * the player who joins.
   */
  broadcast<Type extends Name<MessagesToClients<Types>>>(
    type: Type,
    message: MessagesToClients<Types>[Type],
    { except = [] }: BroadcastOptions = {},
  ): void {
    const { entities, hooks, players } = this.#opened;
    const payload = writePeerPayload({ kind: "command", type, message });
    const left = new Set<Player>("number" in except ? [except] : except);
    hooks.charge(Math.max(0, players.players.size + players.spectators.size - left.size));
    for (const player of players.values()) {
      // Players whose onJoin still runs are in `players` too.
      if (!player.isSpectator && !left.has(player)) player.send(payload);
    }
    entities.spectators.send(payload, undefined, left);
  }

  /**
   * Sends a message, exactly once and in order, to the players whose viewpoint is at most `radiusM` from a position (m):
   * their own entity, unless `player.viewpoint` says otherwise. A player who looks from nowhere does not get it, nor does
   * a spectator who sees the room with a delay. Throws {@link ConfigError} for what is no place or no distance.
   */
  near<Type extends Name<MessagesToClients<Types>>>(
    position: Point,
    radiusM: number,
    type: Type,
    message: MessagesToClients<Types>[Type],
    { except = [] }: BroadcastOptions = {},
  ): void {
    const { entities, hooks, players } = this.#opened;
    const place = checkedPoint("position", position);
    assertRange("radiusM", radiusM, [0, MAX_NEAR_M, "m"]);
    const payload = writePeerPayload({ kind: "command", type, message });
    const left = new Set<Player>("number" in except ? [except] : except);
    const near = entities.near(place, radiusM, players.values()).filter((player) => !left.has(player));
    hooks.charge(near.length);
    for (const player of near) player.send(payload);
  }

  /**
   * Sends one player a message that arrives exactly once and in order. Has no effect for a player who has left.
   */
  send<Type extends Name<MessagesToClients<Types>>>(
    player: Player,
    type: Type,
    message: MessagesToClients<Types>[Type],
  ): void {
    const { entities, hooks, players } = this.#opened;
    const receiver = players.of(player);
    const payload = writePeerPayload({ kind: "command", type, message });
    hooks.charge(1);
    if (receiver.isSpectator) entities.spectators.send(payload, receiver);
    else receiver.send(payload);
  }

  /**
   * Sends one player a message that may be lost, and that is dropped rather than late. Has no effect for a
   * player who has left.
   */
  sendEvent<Type extends Name<MessagesToClients<Types>>>(
    player: Player,
    type: Type,
    message: MessagesToClients<Types>[Type],
  ): void {
    const { entities, hooks, players } = this.#opened;
    const receiver = players.of(player);
    // A spectator with a delay gets no events: an event sent now would come before the states that it belongs
    // to, and only commands are held back.
    if (entities.spectators.isDelayed(receiver)) return;
    hooks.charge(1);
    receiver.sendEvent(type, message);
  }

  /**
   * Sends everybody in `players` a message that may be lost, and that is dropped rather than late: {@link sendEvent} to
   * all. A spectator who sees the room with a delay does not get it.
   */
  broadcastEvent<Type extends Name<MessagesToClients<Types>>>(
    type: Type,
    message: MessagesToClients<Types>[Type],
    { except = [] }: BroadcastOptions = {},
  ): void {
    const { entities, hooks, players } = this.#opened;
    const body = writeEvent(type, message);
    const left = new Set<Player>("number" in except ? [except] : except);
    const receivers = [...players.values()].filter(
      (player) => !left.has(player) && !entities.spectators.isDelayed(player),
    );
    hooks.charge(receivers.length);
    for (const player of receivers) player.sendEvent(type, message, body);
  }

  /**
   * Mirrors the game's own objects to entities of a kind: at each tick, after {@link onTick}, each object of a Map, an array or a Set that
   * is new gets an entity, those that are there are written with what `read` returns, and those that are gone are despawned.
   * `ownerOf` returns the owner of a new one. Throws {@link ConfigError} for what is no object, and for an object that is mirrored
   * already. Returns a function that ends it; the entities stay.
   */
  mirror<D extends EntityDefinition, Item extends object>(
    definition: D,
    objects: ReadonlyMap<unknown, Item>,
    read: (object: Item) => InitialFields<D["fields"]>,
    ownerOf?: (object: Item) => Player | undefined,
  ): () => void;
  mirror<D extends EntityDefinition, Item extends object>(
    definition: D,
    objects: Iterable<Item>,
    read: (object: Item) => InitialFields<D["fields"]>,
    ownerOf?: (object: Item) => Player | undefined,
  ): () => void;
  mirror<D extends EntityDefinition, Item extends object>(
    definition: D,
    objects: Iterable<Item> | ReadonlyMap<unknown, Item>,
    read: (object: Item) => InitialFields<D["fields"]>,
    ownerOf: (object: Item) => Player | undefined = () => undefined,
  ): () => void {
    return this.#opened.mirrors.add<Item>({
      objects,
      spawn: (object) => this.spawn(definition, read(object), ownerOf(object)),
      write: (entity, object) => assignFields(entity, definition, read(object)),
    });
  }

  /**
   * Sends a request to a player's game and resolves with the reply. Rejects with `NetError` if the game
   * refuses, the player leaves, or no reply comes within `timeoutMs`.
   */
  request(player: Player, type: string, message: unknown, timeoutMs = 5000): Promise<unknown> {
    const { hooks, players } = this.#opened;
    hooks.charge(1);
    return players.of(player).request(type, message, timeoutMs);
  }

  /**
   * Keeps the seat of a disconnected player for this time, 0 to 3600 s. Resolves when the player is back,
   * rejects when it has left. Call it in {@link onDrop}.
   */
  allowReconnection(player: Player, seconds: number): Promise<Player> {
    return this.#opened.players.of(player).allowReconnection(seconds);
  }

  /** Removes a player from the room. Has no effect for one who has left. */
  kick(player: Player, reason = "kicked"): void {
    this.#opened.players.of(player).kick(reason);
  }

  /**
   * Calls the room's method of that name once, `ms` later, with `args`, which must be plain data. A persistent room saves
   * such timers with their remaining times. An error in the method is one of the hook `clock`. Returns a function that
   * cancels the timer, as {@link cancelTimers} does after a restore. Throws {@link ConfigError} if there is no such method.
   */
  after(ms: number, method: string, ...args: readonly unknown[]): Cancel;
  /** Calls a function once. It is not saved, since no save can hold code: a persistent room logs that. */
  after(ms: number, run: () => unknown): Cancel;
  after(ms: number, called: string | (() => unknown), ...args: readonly unknown[]): Cancel {
    return this.#opened.timers.after(ms, called, args);
  }

  /**
   * Calls the room's method of that name every `ms`, 1 or more, with `args`. After a pause of the process it is called
   * once for all missed calls. Otherwise like {@link after}.
   */
  every(ms: number, method: string, ...args: readonly unknown[]): Cancel;
  /** Calls a function again and again. It is not saved. */
  every(ms: number, run: () => unknown): Cancel;
  every(ms: number, called: string | (() => unknown), ...args: readonly unknown[]): Cancel {
    return this.#opened.timers.every(ms, called, args);
  }

  /** Cancels the timers of {@link after} and {@link every} that call this method. Returns their number. */
  cancelTimers(method: string): number {
    return this.#opened.timers.cancel(method);
  }

  /**
   * Adds a bot: a player without a page, whose input the room's code writes at each step. `onJoin` and `onLeave` are
   * called for it, and `player.isBot` is true. Bots sit on free seats only: when a person wants the seat, the newest bot
   * leaves, and when the person has left, it comes back. With `fill: 8` as many bots come as are missing to eight
   * members. With `standsIn: true` the same code drives players whose link is lost, until they are back.
   */
  addBot(options: BotOptions<this["inputs"]>): Bots {
    return this.#opened.bots.add(options);
  }

  /** Lets no more players in, until {@link unlock}. */
  lock(): void {
    this.#opened.hosted.isLocked = true;
  }

  unlock(): void {
    this.#opened.hosted.isLocked = false;
  }

  /** Makes the room private or public. Players find a private room only by its id or its code. */
  setPrivate(isPrivate = true): void {
    this.#opened.hosted.isPrivate = isPrivate;
  }

  /** Sets the room's metadata in lists: plain data without bytes, at most 4096 bytes as JSON. */
  setMetadata(metadata: Readonly<Record<string, unknown>>): void {
    this.#opened.hosted.metadata = checkedMetadata(metadata);
  }

  /** Keeps the room open after its last player has left, until {@link disconnect}. */
  keep(isKept = true): void {
    this.#opened.hosted.isKept = isKept;
  }

  /** Ends the room and removes all players. */
  disconnect(reason = "the room was closed"): void {
    this.#opened.hosted.end(CloseCode.roomClosed, reason);
  }

  get #opened(): RoomParts {
    if (this.#parts) return this.#parts;
    throw new Error("the room is not open yet: use onCreate, not the constructor");
  }

  /** @internal */
  static partsOf(room: Room): RoomParts {
    return room.#opened;
  }

  /**
   * @internal Gives a new room its parts, and the relay's half its numbers of places. Throws {@link ConfigError}
   * for settings that are out of range.
   */
  static attach(room: Room, setup: RoomSetup): void {
    room.#parts = newRoomParts(room, setup, (tick) => room.#step(tick));
    room.#syncPlaces();
  }

  /**
   * @internal Runs `onCreate`, then starts the steps. `restored`: the room goes on from an earlier process. Resolves
   * with what the relay's half calls, or with undefined if a hook fails. Rejects for a save that is damaged.
   */
  static open(room: Room, options: RoomOptions, restored?: RestoredRoom): Promise<RoomCallbacks | undefined> {
    return room.#open(options, restored);
  }

  async #open(options: RoomOptions, restored: RestoredRoom | undefined): Promise<RoomCallbacks | undefined> {
    const { bots, hooks, info, lifecycle, loop, onOver, saving } = this.#opened;
    const problem = saving.begin(options, restored);
    const created =
      problem === undefined &&
      (await hooks.wait("onCreate", () => this.onCreate?.(saving.openedWith as never))).ok;
    if (!created || !(await saving.end(restored))) {
      this.#end();
      onOver();
      if (problem !== undefined) throw new Error(problem);
      return undefined;
    }
    this.#syncPlaces();
    bots.isOpen = true;
    bots.balance();
    loop.start();
    return {
      info,
      join: async (participant, seat) => {
        // Before the newcomer is in, so that the room never has more players than places.
        bots.balance();
        const refusal = await lifecycle.join(participant, seat);
        this.#syncPlaces();
        return refusal;
      },
      draining: () => hooks.call("onDrain", () => this.onDrain?.()),
      save: (isFinal, take) => saving.save(isFinal, take),
      suspend: () => {
        this.#end();
        onOver();
      },
      close: () => this.#close(),
    };
  }

  #step(tick: number): void {
    const { bots, entities, errors, hooks, info, mirrors, players, saving, scheduler } = this.#opened;
    const { lists, owned, replicator, rewinding, spectators, world } = entities;
    for (const player of players.values()) {
      player.takeInput(tick);
      owned.advance(player);
    }
    bots.balance();
    bots.drive(tick);
    hooks.call("onTick", () => this.onTick?.(1 / info.tickHz, tick));
    if (!mirrors.isEmpty) hooks.call("mirror", () => mirrors.step());
    if (errors.isClosed) return;
    for (const { participant } of players.values()) participant.sendIntroductions();
    const nowMs = scheduler.nowMs();
    const playerStates = players.statesOf(
      (player) => player.isReachable && !player.isBot && !spectators.isDelayed(player),
    );
    hooks.call("states", () => replicator.write({ tick, nowMs }, playerStates));
    lists.flush(tick);
    rewinding.record(tick, world);
    spectators.step(tick, nowMs);
    this.#syncPlaces();
    saving.stepped();
  }

  /** Called when the relay's half is empty and closed. */
  #close(): void {
    this.#opened.lifecycle.leaveAll();
    this.#end();
    void this.#dispose();
  }

  /** Runs `onDispose` when every `onJoin` and `onLeave` has ended: a game may store in one what another needs. */
  async #dispose(): Promise<void> {
    const { hooks, lifecycle, onOver } = this.#opened;
    await lifecycle.ended();
    await hooks.wait("onDispose", () => this.onDispose?.());
    onOver();
  }

  /** Ends the steps and the timers. */
  #end(): void {
    const { bots, clock, errors, loop, onClosed } = this.#opened;
    if (errors.isClosed) return;
    errors.isClosed = true;
    bots.isOpen = false;
    loop.stop();
    clock.end();
    onClosed();
  }

  #syncPlaces(): void {
    const { hosted } = this.#opened;
    hosted.maxPlayers = this.maxPlayers;
    hosted.maxSpectators = this.maxSpectators;
  }
}

/** A class of rooms, as `defineServer` takes it. */
export interface RoomClass<R extends Room = Room> {
  new (): R;
  readonly optionsSchema: StandardSchemaV1 | undefined;
  readonly filterBy: readonly string[];
  readonly mixesBuilds: boolean;
  readonly persistent: Persistence | undefined;
  onAuth(request: AuthRequest): unknown;
}

function schemaAndHandler(rest: readonly unknown[]): {
  readonly schema: StandardSchemaV1 | undefined;
  readonly handler: (player: Player, message: unknown) => unknown;
} {
  const handler = rest.at(-1) as (player: Player, message: unknown) => unknown;
  return { schema: rest.length > 1 ? (rest[0] as StandardSchemaV1) : undefined, handler };
}
