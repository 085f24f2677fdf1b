import type {
  AnswerOf,
  AskOf,
  EntityDefinition,
  InputDefinition,
  JoinOptionsOf,
  MessagesToClients,
  MessagesToServer,
  RequestsOf,
  RoomTypes,
} from "@paceline/protocol";
import type { InitialFields } from "@paceline/netcode";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { BreachAnswer, PlayerEntities } from "../connections/owned-states.js";
import type { Breach } from "../players/plausibility.js";
import type { MessageLimits } from "../players/message-allowance.js";
import type { Player } from "../players/player.js";
import type { PlayerLimits } from "../players/player-limits.js";
import type { Past } from "../entities/rewind-history.js";
import type { RoomClock } from "./room-clock.js";
import type { RoomCore } from "./room-core.js";
import { checkedMetadata } from "./room-metadata.js";
import type { ServerEntity } from "../entities/server-entity.js";

/** The player that asks to join. */
export interface AuthRequest {
  readonly roomName: string;
  /** The client's join options, checked by the class' `optionsSchema`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's `authToken`; empty if it has none. */
  readonly token: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client is to keep this, and to give it as its token the next time; at most 3000 characters. */
  keepIdentity(token: string): void;
}

/** Decides whether a room ends or continues after an error. Omitted: as {@link Room.onUncaughtException} returns. */
export type UncaughtAnswer = "end" | "continue" | undefined | void;

type Name<T> = keyof T & string;

/** One room or some of its players. */
export interface BroadcastOptions {
  readonly except?: Player | readonly Player[];
}

/**
 * A room that a server decides in. A game writes a class for each kind, with the hooks that it needs; every hook may be
 * async. A hook that throws, rejects or does not end in time is counted and logged; other rooms do not notice.
 */
export abstract class Room<Types extends RoomTypes = RoomTypes> {
  /** For the compiler alone: what a client of this room may say and hear. */
  declare readonly types: Types;
  /** Checks what clients join with, before anything else. Any Standard Schema validator. */
  static readonly optionsSchema: StandardSchemaV1 | undefined = undefined;
  /** The join options that tell rooms apart. Default: none, all meet. */
  static readonly filterBy: readonly string[] = [];
  /** Players of different builds of the game meet: the client's `build`. Default: false. */
  static readonly mixesBuilds: boolean = false;

  /** Most players, 1 to 1000. */
  maxPlayers = 16;
  /** @deprecated It is called {@link maxPlayers}. */
  declare readonly maxClients?: never;
  /** @deprecated It is called {@link maxPlayers}. */
  declare readonly maxPeers?: never;
  /** Most who only watch, besides; 0 to 1000. Default 0: nobody may. */
  maxSpectators = 0;
  /** Delay of spectators behind players, 0 to 60000 ms. Default 0. */
  readonly spectatorDelayMs: number = 0;
  /** Longest {@link rewind}, 0 to 1000 ms. Default 0: the room keeps no history. */
  readonly maxRewindMs: number = 0;
  /** Steps per second, 1 to 255. */
  readonly tickHz: number = 30;
  /** Kinds of entities that there may be, of the definitions that the client has too. At most 64. */
  readonly entities: readonly EntityDefinition[] = [];
  /** Kinds of entities that players may own and simulate themselves, with what these cannot do. Default: none. */
  readonly playerEntities: readonly PlayerEntities[] = [];
  /** The input of a player in a tick, made by `defineInput`. */
  readonly inputs: InputDefinition | undefined = undefined;
  /** Seconds for which a player without a link is kept, unless {@link allowReconnection} says otherwise. */
  readonly reconnectSeconds: number = 20;
  /** States for each player; where more is to be told, what is least wrong waits. 1000 to 100000000 bytes per second. */
  readonly stateBytesPerSecond: number = 131_072;
  /** Limits of a player's messages and requests. Further ones are dropped and counted, and the player hears of it. */
  readonly messageLimits: Partial<MessageLimits> = {};
  /** Limits of a player's spawns, despawns, state requests and kind lists. See docs/guides/authority.md. */
  readonly playerLimits: Partial<PlayerLimits> = {};
  #core: RoomCore | undefined;

  /**
   * Whether this one may come; asked before a room is looked for. What it returns is `player.auth`; nothing, or anything
   * falsy, refuses, and so does a {@link Refusal}, whose message the player gets. Default: everybody may.
   */
  static onAuth(_request: AuthRequest): unknown {
    return true;
  }

  /** The room is opened, by the first who wants it. Who waits for it is refused where this fails. */
  onCreate?(options: JoinOptionsOf<Types>): unknown;
  /** Somebody comes. Where this fails, or throws a {@link Refusal}, that one stays outside. */
  onJoin?(player: Player<this["inputs"]>, options: JoinOptionsOf<Types>, auth: unknown): unknown;
  /** A message for whose type there is no handler. Without this hook such messages are refused. */
  onAnyMessage?(player: Player<this["inputs"]>, type: string, message: unknown): unknown;
  /** A step of the simulation: of so many seconds. Not waited for. */
  onTick?(seconds: number, tick: number): unknown;
  /** A player's own entity does what its kind cannot. Default: `correct`, it is put back to where it was. */
  onBreach?(player: Player<this["inputs"]>, entity: object, breach: Breach): BreachAnswer;
  /** A player's link is lost; it is kept for a while. */
  onDrop?(player: Player<this["inputs"]>): unknown;
  /** A player is back: `player` is the same object, also after a reload. */
  onReconnect?(player: Player<this["inputs"]>): unknown;
  /** A player is out. Afterwards what still belongs to it is despawned. */
  onLeave?(player: Player<this["inputs"]>, code: number): unknown;
  /** The server takes nobody new any more and will stop: players who are here may go on for a while. */
  onDrain?(): unknown;
  /** The room ends: everybody is out. */
  onDispose?(): unknown;

  /**
   * Something of this room has thrown or rejected; it is counted and logged already. `hook` names it: a hook, `onMessage`
   * or `onRequest` for their handlers, `clock` for timers of {@link clock}; `uncaughtException` for another timer or event
   * that a hook has started, `unhandledRejection` for a promise that nobody waited for. Default: `end` after an
   * `uncaughtException`, else `continue`.
   */
  onUncaughtException?(error: unknown, hook: string): UncaughtAnswer | PromiseLike<UncaughtAnswer>;

  get roomId(): string {
    return this.#here.hosted.id;
  }

  get roomName(): string {
    return this.#here.hosted.name;
  }

  /** Short enough to be told to a friend: `client.joinById(code)`. */
  get code(): string {
    return this.#here.hosted.code;
  }

  /** Players by number, in the order of joining; without those who only watch. */
  get players(): ReadonlyMap<number, Player<this["inputs"]>> {
    return this.#here.lines.players;
  }

  /** Participants that only watch. The room calls its hooks for them too: see `player.isSpectator`. */
  get spectators(): ReadonlyMap<number, Player<this["inputs"]>> {
    return this.#here.lines.spectators;
  }

  /** The step of the simulation that was begun last. */
  get tick(): number {
    return this.#here.loop.tick;
  }

  /** The room's time, and timers that end with it. */
  get clock(): RoomClock {
    return this.#here.clock;
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#here.hosted.metadata;
  }

  get isLocked(): boolean {
    return this.#here.hosted.isLocked;
  }

  /** Creates an entity that everybody sees. The room simulates it, also where it belongs to a player. */
  spawn<D extends EntityDefinition>(
    definition: D,
    initial: InitialFields<D["fields"]> = {},
    owner?: Player,
  ): ServerEntity<D> {
    return this.#here.world.spawn(definition, initial, owner).entity as unknown as ServerEntity<D>;
  }

  despawn(entity: object): void {
    this.#here.despawn(this.#here.world.recordOf(entity));
  }

  /** All entities of a kind. */
  *entitiesOf<D extends EntityDefinition>(definition: D): Iterable<ServerEntity<D>> {
    for (const { entity } of this.#here.world.records.ofKind(definition)) {
      yield entity as unknown as ServerEntity<D>;
    }
  }

  /** State of which the room has one, such as a score: an entity that belongs to no player, spawned by the first call. */
  only<D extends EntityDefinition>(definition: D): ServerEntity<D> {
    for (const entity of this.entitiesOf(definition)) if (!entity.owner) return entity;
    return this.spawn(definition);
  }

  /** The entity belongs to somebody else from now on, or to nobody. */
  give(entity: object, owner: Player | undefined): void {
    this.#here.broadcasts.setOwner(this.#here.world.recordOf(entity), owner);
  }

  /** The entity's next state is a new place, no movement: it is shown there at once. */
  teleport(entity: object): void {
    this.#here.teleport(this.#here.world.recordOf(entity));
  }

  /**
   * Runs `judge` with the world as a player saw it: at `seenTick`, which is `room.clock.shownTick` of its client and so its
   * word. Nobody gets back farther than `maxRewindMs`, nor than its own round trip and a tenth of a second. Returns what
   * `judge` returns. Throws {@link ConfigError} in a room without `maxRewindMs`.
   */
  rewind<Result>(player: Player, seenTick: number, judge: (past: Past) => Result): Result {
    return this.#here.rewind(player, seenTick, judge);
  }

  /** Sets the handler of a message type; the schema, any Standard Schema validator, checks messages first. */
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
    this.#here.handlers.listen(type, schema, handler);
  }

  /** Answers questions of a type, with what the handler returns or resolves to. */
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
    this.#here.handlers.answer(type, schema, handler);
  }

  /** Sends everybody a message that arrives exactly once and in order. */
  broadcast<Type extends Name<MessagesToClients<Types>>>(
    type: Type,
    message: MessagesToClients<Types>[Type],
    options: BroadcastOptions = {},
  ): void {
    this.#here.broadcast(type, message, options.except);
  }

  /** Sends one player a message that arrives exactly once and in order. */
  send<Type extends Name<MessagesToClients<Types>>>(
    player: Player,
    type: Type,
    message: MessagesToClients<Types>[Type],
  ): void {
    this.#here.send(player, type, message);
  }

  /** Sends one player a message that may be lost, and that is dropped rather than late. */
  sendEvent<Type extends Name<MessagesToClients<Types>>>(
    player: Player,
    type: Type,
    message: MessagesToClients<Types>[Type],
  ): void {
    this.#here.sendEvent(player, type, message);
  }

  /** Asks a player's game; rejects with `NetError` when it refuses, leaves, or is silent for `timeoutMs`. */
  request(player: Player, type: string, message: unknown, timeoutMs = 5000): Promise<unknown> {
    return this.#here.lines.of(player).request(type, message, timeoutMs);
  }

  /**
   * Waits this long for a player whose link is lost; 0: not at all. Resolves when the player is back, rejects
   * when it has left. Call it in {@link onDrop}.
   */
  allowReconnection(player: Player, seconds: number): Promise<Player> {
    return this.#here.lines.of(player).allowReconnection(seconds);
  }

  /** Takes a player out. */
  kick(player: Player, reason = "kicked"): void {
    this.#here.lines.of(player).kick(reason);
  }

  /** Nobody new gets in, until {@link unlock}. */
  lock(): void {
    this.#here.hosted.isLocked = true;
  }

  unlock(): void {
    this.#here.hosted.isLocked = false;
  }

  /** A private room is found by its id or its code alone. */
  setPrivate(isPrivate = true): void {
    this.#here.hosted.isPrivate = isPrivate;
  }

  /** The room's metadata in lists: plain data, at most 4096 bytes as JSON. */
  setMetadata(metadata: Readonly<Record<string, unknown>>): void {
    this.#here.hosted.metadata = checkedMetadata(metadata);
  }

  /** The room stays when the last player has gone, until {@link disconnect}. */
  keep(isKept = true): void {
    this.#here.hosted.isKept = isKept;
  }

  /** Ends the room: everybody is out. */
  disconnect(reason = "the room was closed"): void {
    this.#here.disconnect(reason);
  }

  get #here(): RoomCore {
    if (this.#core) return this.#core;
    throw new Error("the room is not open yet: use onCreate, not the constructor");
  }

  /** @internal */
  static coreOf(room: Room): RoomCore {
    return room.#here;
  }

  /** @internal */
  static attach(room: Room, core: RoomCore): void {
    room.#core = core;
  }
}

/** A class of rooms, as `defineServer` takes it. */
export interface RoomClass<R extends Room = Room> {
  new (): R;
  readonly optionsSchema: StandardSchemaV1 | undefined;
  readonly filterBy: readonly string[];
  readonly mixesBuilds: boolean;
  onAuth(request: AuthRequest): unknown;
}

function schemaAndHandler(rest: readonly unknown[]): {
  readonly schema: StandardSchemaV1 | undefined;
  readonly handler: (player: Player, message: unknown) => unknown;
} {
  const handler = rest.at(-1) as (player: Player, message: unknown) => unknown;
  return { schema: rest.length > 1 ? (rest[0] as StandardSchemaV1) : undefined, handler };
}
