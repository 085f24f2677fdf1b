import {
  HISTORY_TICKS,
  CloseCode,
  ConfigError,
  INPUT_COLUMNS,
  PayloadKind,
  describeColumns,
  readEvent,
  readPeerPayload,
  readToAuthority,
  writeAuthority,
  writePeerPayload,
  type AuthorityInfo,
  type DropReason,
  type PeerPayload,
  type ToAuthority,
} from "@paceline/protocol";
import type { HostedParticipant, HostedRoom, HostedSeat, Log, RoomHost } from "@paceline/relay";
import { GuardedScheduler, type LinkClose, type Scheduler } from "@paceline/transport";
import { PlayerRegistry } from "../connections/player-registry.js";
import { SpectatorStream } from "../connections/spectator-stream.js";
import { blockWatch } from "../ops/block-watch.js";
import type { HookLog } from "./hook-log.js";
import { failureText, Hooks, type Tariff } from "./hooks.js";
import { checkedMessageLimits, type MessageLimits } from "../players/message-allowance.js";
import { MessageHandlers } from "./message-handlers.js";
import { OwnedStates, type BreachAnswer } from "../connections/owned-states.js";
import type { Breach } from "../players/plausibility.js";
import type { Player } from "../players/player.js";
import { checkedPlayerLimits, type PlayerLimits } from "../players/player-limits.js";
import { PlayerConnection } from "../connections/player-connection.js";
import { RewindHistory } from "../entities/rewind-history.js";
import { RoomClock } from "./room-clock.js";
import { newRoomCounters } from "../ops/room-counters.js";
import { Room, type UncaughtAnswer } from "./room.js";
import { Replicator } from "../states/replicator.js";
import { TickLoop } from "./tick-loop.js";
import { World, type EntityRecord } from "../entities/world.js";

export interface RoomCoreOptions {
  readonly room: Room;
  readonly hosted: HostedRoom;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly hookLog: HookLog;
  readonly hookTimeoutMs: number;
  /** A hook that takes longer has blocked the server. */
  readonly blockedMs: number;
  onClosed(core: RoomCore): void;
  /** Called when a hook fails after {@link onClosed}. */
  onLateError(hook: string): void;
}

const UNCAUGHT = "onUncaughtException";
/** Errors that end a room by default, because they cut off its code in the middle. */
const endingErrors: ReadonlySet<string> = new Set(["uncaughtException", "step", "timer"]);
/**
 * A player with more unacknowledged messages gets no refusals, because they could fill its queue until it is
 * disconnected.
 */
const MAX_UNACKNOWLEDGED_REFUSALS = 256;
/** Entities that a player simulates outlive its page by this time. The next page spawns others. */
const ENTITIES_OF_CLOSED_PAGE_MS = 2000;

/** The parts of a room that its class does not see: connections, world, handlers and tick loop. */
export class RoomCore implements RoomHost {
  readonly room: Room;
  readonly hosted: HostedRoom;
  readonly hooks: Hooks;
  readonly clock: RoomClock;
  readonly loop: TickLoop;
  readonly world: World;
  readonly replicator: Replicator;
  readonly handlers: MessageHandlers;
  readonly owned: OwnedStates;
  readonly counters = newRoomCounters();
  readonly spectators: SpectatorStream;
  readonly rewinding: RewindHistory;
  readonly info: AuthorityInfo;
  readonly #options: RoomCoreOptions;
  readonly #scheduler: Scheduler;
  readonly players = new PlayerRegistry();
  /** Resolves when the last hook of the room has ended, or when the room has failed to open. */
  readonly over: Promise<void>;
  #onOver: () => void = () => undefined;
  readonly #noteRun: ReturnType<typeof blockWatch>;
  readonly #messageLimits: MessageLimits;
  readonly #playerLimits: PlayerLimits;
  readonly #maxOwnEntities: number;
  /** Runs of `onJoin` and `onLeave` that have not ended. */
  readonly #joinsAndLeaves = new Set<Promise<unknown>>();
  readonly #breachTariff: Tariff = { packets: 0 };
  #isClosed = false;

  constructor(options: RoomCoreOptions) {
    const { room, hosted, hookLog, hookTimeoutMs } = options;
    this.#options = options;
    this.over = new Promise((resolve) => (this.#onOver = resolve));
    const scheduler = new GuardedScheduler(options.scheduler, (error) => this.hooks.failed("timer", error));
    this.#scheduler = scheduler;
    this.#messageLimits = checkedMessageLimits(room.messageLimits);
    this.#playerLimits = checkedPlayerLimits(room.playerLimits);
    this.#maxOwnEntities = room.playerEntities.reduce((sum, { most = 1 }) => sum + most, 0);
    this.room = room;
    this.hosted = hosted;
    this.hooks = new Hooks({
      scheduler,
      log: hookLog,
      timeoutMs: hookTimeoutMs,
      onError: (hook, error) => this.#hookFailed(hook, error),
      onTook: (tookMs) => this.#watch(tookMs),
    });
    this.#noteRun = blockWatch(options.blockedMs);
    this.clock = new RoomClock(scheduler, (fn) => this.hooks.call("clock", fn));
    const { tickHz, entities: definitions, maxRewindMs, stateBytesPerSecond: bytesPerSecond } = room;
    const kept = { definitions, tickHz, historyTicks: HISTORY_TICKS, counters: this.counters };
    this.world = new World({
      ...kept,
      onClamp: (clamp) => hookLog.clamped(clamp),
      onTeleport: (record) => this.#teleport(record),
      onStale: (record) => hookLog.stale(record.definition.name, record.departure(scheduler.nowMs())),
    });
    const { shortOfBudget: onShortage } = hookLog;
    this.replicator = new Replicator({ world: this.world, tickHz, bytesPerSecond, onShortage });
    this.spectators = new SpectatorStream({
      ...kept,
      world: this.world,
      delayMs: room.spectatorDelayMs,
      bytesPerSecond,
      players: this.players,
    });
    this.rewinding = new RewindHistory({ ...kept, maxRewindMs });
    this.loop = new TickLoop({
      scheduler,
      tickHz,
      step: (tick) => this.hooks.guard("step", () => this.#step(tick)),
      onSkipped: (ticks) => {
        for (const { inputs } of this.players.values()) inputs?.stoodStill(ticks);
      },
    });
    this.handlers = new MessageHandlers(this.hooks, this.counters);
    this.owned = new OwnedStates({
      world: this.world,
      rules: room.playerEntities,
      counters: this.counters,
      maxEntities: this.#playerLimits.entitiesPerRoom,
      nowSeconds: () => scheduler.nowMs() / 1000,
      despawn: (record, why) => this.despawn(record, why),
      answer: (connection, { entity }, breach) => this.#onBreach(connection, entity, breach),
    });
    this.info = { tickHz, kinds: this.world.kinds, inputHash: room.inputs?.hash ?? 0 };
    Room.attach(room, this);
    this.#syncPlaces();
  }

  /** Runs `onCreate`, then starts the loop. Returns false if `onCreate` fails. */
  async open(options: object): Promise<boolean> {
    const outcome = await this.hooks.wait("onCreate", () => this.room.onCreate?.(options as never));
    if (!outcome.ok) {
      this.#end();
      this.#onOver();
      return false;
    }
    this.#syncPlaces();
    this.loop.start();
    return true;
  }

  tickFor(participant: HostedParticipant): number {
    const isSpectator = this.players.get(participant)?.isSpectator;
    return isSpectator ? this.spectators.tickAt(this.loop.tick) : this.loop.tick;
  }

  async join(participant: HostedParticipant, seat: HostedSeat): Promise<string | undefined> {
    if (seat.replaces !== undefined) return this.#rejoin(participant, seat.replaces);
    return this.#beforeDispose(this.#admit(participant, seat));
  }

  async #admit(participant: HostedParticipant, seat: HostedSeat): Promise<string | undefined> {
    const { counters, hooks, room } = this;
    const connection = new PlayerConnection({
      participant,
      seat,
      world: seat.isSpectator ? this.spectators.world : this.world,
      inputs: seat.isSpectator ? undefined : room.inputs,
      counters,
      scheduler: this.#scheduler,
      messageLimits: this.#messageLimits,
      playerLimits: this.#playerLimits,
      maxEntities: this.#maxOwnEntities,
    });
    const { player } = connection;
    this.players.add(connection);
    const outcome = await hooks.wait("onJoin", () =>
      room.onJoin?.(player as never, seat.options as never, seat.auth),
    );
    if (!outcome.ok) {
      counters.joinsRefused += 1;
      connection.end();
      this.#forget(connection);
      return outcome.refusal ?? failureText("onJoin");
    }
    counters.joins += 1;
    connection.isIn = true;
    if (connection.closeCode !== undefined) void this.#leave(connection, connection.closeCode);
    this.#syncPlaces();
    return undefined;
  }

  receive(participant: HostedParticipant, payload: Uint8Array): void {
    const connection = this.players.get(participant);
    if (!connection) return;
    if (payload[0] === PayloadKind.authority) {
      const message = readToAuthority(payload.subarray(1), participant.chargeItems);
      return message ? this.#receiveAuthority(connection, message) : this.#malformed(connection);
    }
    const message = readPeerPayload(payload, participant.chargeItems);
    if (message) this.#receive(connection, message);
    else this.#malformed(connection);
  }

  receiveEvent(participant: HostedParticipant, body: Uint8Array): void {
    const connection = this.players.get(participant);
    const message = readEvent(body, participant.chargeItems);
    if (connection && message) this.#receive(connection, message);
    else if (connection) this.#malformed(connection);
  }

  receiveState(participant: HostedParticipant, body: Uint8Array, tick: number): void {
    const connection = this.players.get(participant);
    if (connection?.isSpectator) this.spectators.refuse(connection);
    if (!connection || connection.isSpectator) return;
    const reason = this.owned.receive(connection, body, tick);
    if (reason) this.#malformed(connection, reason);
  }

  receiveInput(participant: HostedParticipant, body: Uint8Array): void {
    const connection = this.players.get(participant);
    if (connection?.isSpectator) return this.spectators.refuse(connection);
    if (!connection) return;
    if (!connection.inputs) return connection.countNotAllowed();
    this.counters.inputs += 1;
    const reason = connection.inputs.receive(body, this.loop.tick);
    if (reason) this.#malformed(connection, reason);
  }

  acknowledged(participant: HostedParticipant, sequence: number): void {
    this.players.get(participant)?.snapshots.acknowledge(sequence);
  }

  dropped(participant: HostedParticipant): void {
    const connection = this.players.get(participant);
    if (!connection) return;
    const { unloadGraceMs } = participant;
    // A game that wants to wait longer for the player calls `allowReconnection` in `onDrop`.
    participant.keepFor(Math.min(this.room.reconnectSeconds * 1000, unloadGraceMs ?? Infinity));
    this.#dropped(connection);
    if (unloadGraceMs === undefined) return;
    connection.cancelDisown?.();
    connection.cancelDisown = this.#scheduler.after(ENTITIES_OF_CLOSED_PAGE_MS, () => {
      const isGone = connection.isIn && !connection.isConnected && connection.participant === participant;
      if (isGone) this.owned.disownAll(connection);
    });
  }

  returned(participant: HostedParticipant): void {
    const connection = this.players.get(participant);
    if (connection && !connection.isConnected) this.#returned(connection);
  }

  left(participant: HostedParticipant, { code }: LinkClose): Promise<void> | undefined {
    const connection = this.players.get(participant);
    if (!connection) return undefined;
    if (!connection.isIn) {
      // `onJoin` still runs.
      connection.closeCode = code;
      this.players.delete(connection);
      connection.end();
      return undefined;
    }
    if (code !== CloseCode.replaced) return this.#leave(connection, code);
    // The page was reloaded: the player's next session is already joining.
    if (connection.isConnected) this.#dropped(connection);
    return undefined;
  }

  draining(): void {
    this.hooks.call("onDrain", () => this.room.onDrain?.());
  }

  close(): void {
    for (const connection of [...this.players.values()])
      if (connection.isIn) void this.#leave(connection, CloseCode.roomClosed);
    this.#end();
    void this.#dispose();
  }

  /** Runs `onDispose` when every `onJoin` and `onLeave` has ended: a game may store in one what another needs. */
  async #dispose(): Promise<void> {
    while (this.#joinsAndLeaves.size > 0) await Promise.allSettled(this.#joinsAndLeaves);
    await this.hooks.wait("onDispose", () => this.room.onDispose?.());
    this.#onOver();
  }

  #beforeDispose<Value>(hook: Promise<Value>): Promise<Value> {
    this.#joinsAndLeaves.add(hook);
    const ended = (): void => void this.#joinsAndLeaves.delete(hook);
    hook.then(ended, ended);
    return hook;
  }

  /** Despawns an entity. `why` says by whom, for the messages about later uses of it. */
  despawn(record: EntityRecord, why: string): void {
    // The game may end what its player's leave has ended.
    if (record.despawned) return;
    record.despawned = { atMs: this.#scheduler.nowMs(), why };
    this.replicator.removed(
      record,
      this.players.snapshotStreams((connection) => !this.spectators.isDelayed(connection)),
    );
    this.rewinding.forget(record);
    this.world.remove(record);
    this.owned.removed(record);
  }

  /**
   * Returns the record of an entity that the room may give to `owner`. Throws {@link ConfigError} for a
   * despawned one, and for one that another player simulates: its game would go on to simulate it.
   */
  givableRecordOf(entity: object, owner: Player | undefined): EntityRecord {
    const record = this.world.recordOf(entity);
    const { authority, definition, despawned, owner: last } = record;
    if (despawned) {
      const departure = record.departure(this.#scheduler.nowMs());
      throw new ConfigError("entity", entity, `an entity that is in this room (${departure})`);
    }
    if (authority === "room" || owner === last) return record;
    const cure = `player ${last!.number} simulates this ${definition.name}: despawn it and spawn another one`;
    throw new ConfigError("entity", entity, `an entity that the room simulates (${cure})`);
  }

  /** Returns the player as an owner of entities. Throws {@link ConfigError} if the room has forgotten it. */
  presentPlayer(player: Player): Player {
    const { leftAtMs } = this.players.of(player);
    if (leftAtMs === undefined) return player;
    const ago = `player ${player.number} left ${Math.round(this.#scheduler.nowMs() - leftAtMs)} ms ago`;
    throw new ConfigError("player", player, `a player who is in this room (${ago})`);
  }

  disconnect(reason: string): void {
    this.hosted.end(CloseCode.roomClosed, reason);
  }

  #teleport(record: EntityRecord): void {
    this.replicator.teleport(record);
    this.rewinding.jumped(record.id);
  }

  #step(tick: number): void {
    for (const connection of this.players.values()) {
      connection.takeInput(tick);
      this.owned.advance(connection);
    }
    this.hooks.call("onTick", () => this.room.onTick?.(1 / this.info.tickHz, tick));
    if (this.#isClosed) return;
    const nowMs = this.#scheduler.nowMs();
    const snapshotStreams = this.players.snapshotStreams(
      (connection) => connection.isReachable && !this.spectators.isDelayed(connection),
    );
    this.hooks.call("states", () => this.replicator.write({ tick, nowMs }, snapshotStreams));
    this.rewinding.record(tick, this.world);
    this.spectators.step(tick, nowMs);
    this.#syncPlaces();
  }

  /**
   * Counts a block if a hook took too long. Code that blocks cannot be stopped, so a room that blocks
   * repeatedly is ended.
   */
  #watch(tookMs: number): void {
    const run = this.#noteRun(tookMs, this.#scheduler.nowMs());
    if (run !== "short") this.counters.blocked += 1;
    if (run !== "too many blocks" || this.#isClosed) return;
    this.#options.log.error("a room blocks the server and is ended", { roomId: this.hosted.id, tookMs });
    this.disconnect("the room's code blocked the server for too long");
  }

  #receive(connection: PlayerConnection, message: PeerPayload): void {
    // Data that arrives before onJoin has ended is dropped: an honest client waits for its welcome.
    if (!connection.isIn) return connection.countNotAllowed();
    // The room asked for this reply, so no limit applies.
    if (message.kind === "reply") return connection.requests.reply(message.id, message.ok, message.message);
    if (message.kind === "columns") return this.#receiveColumns(connection, message.stream, message.columns);
    if (connection.isSpectator) return this.spectators.refuse(connection, message);
    if (message.kind !== "command" && message.kind !== "request") {
      // All other kinds belong to meshes.
      return connection.countNotAllowed();
    }
    if (!connection.admits(message)) return;
    if (message.kind === "request")
      return this.hooks.guard("onRequest", () => this.handlers.reply(connection, message));
    const { room } = this;
    const fallback =
      room.onAnyMessage &&
      ((player: Player, type: string, content: unknown) => room.onAnyMessage?.(player, type, content));
    this.handlers.receive(connection, message, fallback);
  }

  #onBreach(connection: PlayerConnection, entity: object, breach: Breach): BreachAnswer {
    let answer: BreachAnswer = "correct";
    const ask = (): void => {
      answer = this.room.onBreach?.(connection.player, entity, breach) ?? answer;
    };
    this.hooks.call("onBreach", ask, { payer: connection.participant, tariff: this.#breachTariff });
    return answer;
  }

  #receiveAuthority(connection: PlayerConnection, message: ToAuthority): void {
    const isOwning = message.type === "own" || message.type === "disown";
    if (isOwning && connection.isSpectator) return this.spectators.refuse(connection);
    if (isOwning && !connection.isIn) return connection.countNotAllowed();
    const isAdmitted = connection.admitsToAuthority(message.type);
    if (message.type === "own") return this.#receiveSpawn(connection, message, isAdmitted);
    // Also beyond the rate: an entity whose end was dropped would stay for ever.
    if (message.type === "disown") return this.owned.disown(connection, message.localId);
    if (!isAdmitted) return;
    const other = connection.setView(message);
    if (other !== undefined)
      connection.send(writeAuthority({ type: "refused", what: "kind", reason: other }));
  }

  /**
   * Takes another build's description of a kind, or of its inputs. Sends the room's own in return, once for
   * each.
   */
  #receiveColumns(connection: PlayerConnection, kind: number, columns: Uint8Array): void {
    const isInput = kind === INPUT_COLUMNS;
    const definition = isInput ? this.room.inputs?.definition : this.world.plans[kind]?.definition;
    if (!definition) return this.#malformed(connection);
    if (connection.described.has(kind)) return connection.participant.session.drops.count("rate-limit");
    connection.described.add(kind);
    const isTaken = isInput
      ? connection.inputs?.describe(columns)
      : this.owned.describe(connection, kind, columns);
    if (!isTaken) return this.#malformed(connection);
    connection.send(
      writePeerPayload({ kind: "columns", stream: kind, columns: describeColumns(definition) }),
    );
  }

  /** Answers every `own`, in order, unless too many answers are unacknowledged. */
  #receiveSpawn(
    connection: PlayerConnection,
    message: ToAuthority & { readonly type: "own" },
    isAdmitted: boolean,
  ): void {
    const reason = isAdmitted ? this.owned.spawn(connection, message) : "too many entities a second";
    if (reason === undefined) return;
    if (isAdmitted) connection.countNotAllowed();
    if (connection.participant.session.commands.length >= MAX_UNACKNOWLEDGED_REFUSALS) return;
    connection.send(writeAuthority({ type: "refused", what: "entity", reason }));
  }

  #malformed({ participant }: PlayerConnection, reason: DropReason = "bad-message"): void {
    this.counters.malformed += 1;
    participant.session.reportViolation(reason);
  }

  /**
   * Continues a player as another participant, after a reload of the page. Returns a reason if its session is
   * over.
   */
  #rejoin(participant: HostedParticipant, sessionId: string): string | undefined {
    for (const connection of this.players.values()) {
      if (connection.participant.id !== sessionId || connection.isConnected) continue;
      // In `onDrop`, when the page's session was over and the next page had not come yet.
      if (connection.kickedFor !== undefined) {
        void this.#leave(connection, CloseCode.kicked);
        participant.end(CloseCode.kicked, connection.kickedFor);
        return undefined;
      }
      this.owned.disownAll(connection);
      this.players.rebind(connection, participant);
      for (const record of this.world.records.values()) {
        if (record.owner === connection.player) this.replicator.setOwner(record, connection.player);
      }
      this.#returned(connection);
      return undefined;
    }
    return "the session is over";
  }

  #dropped(connection: PlayerConnection): void {
    connection.isConnected = false;
    this.counters.drops += 1;
    this.hooks.call("onDrop", () => this.room.onDrop?.(connection.player));
  }

  #returned(connection: PlayerConnection): void {
    connection.isConnected = true;
    connection.snapshots.catchUp();
    this.counters.reconnects += 1;
    connection.settle(true);
    this.hooks.call("onReconnect", () => this.room.onReconnect?.(connection.player));
  }

  /** Resolves when `onLeave` has ended. */
  #leave(connection: PlayerConnection, code: number): Promise<void> {
    const { player } = connection;
    this.counters.leaves += 1;
    this.players.delete(connection);
    connection.end();
    const left = this.hooks
      .wait("onLeave", () => this.room.onLeave?.(player as never, code))
      .then(() => this.hooks.guard("onLeave", () => this.#forget(connection)));
    return this.#beforeDispose(left);
  }

  /** Despawns the entities of a player that has left, and forgets the player. */
  #forget(connection: PlayerConnection): void {
    const { player } = connection;
    this.players.delete(connection);
    for (const record of [...this.world.records.values()]) {
      if (record.owner === player) this.despawn(record, `when player ${player.number} left`);
    }
    connection.leftAtMs = this.#scheduler.nowMs();
  }

  #hookFailed(hook: string, error: unknown): void {
    if (this.#isClosed) this.#options.onLateError(hook);
    const { hookErrors } = this.counters;
    hookErrors[hook] = (hookErrors[hook] ?? 0) + 1;
    if (this.#isClosed || hook === UNCAUGHT) return;
    if (!this.room.onUncaughtException) return this.#answered(hook, undefined);
    void this.hooks
      .wait(UNCAUGHT, () => this.room.onUncaughtException?.(error, hook))
      .then((outcome) => this.#answered(hook, outcome.ok ? outcome.value : undefined));
  }

  /**
   * Ends or continues the room after an error, as the game wishes. By default it ends after the errors that
   * leave a step or a timer half done.
   */
  #answered(hook: string, wish: UncaughtAnswer): void {
    const answer = wish ?? (endingErrors.has(hook) ? "end" : "continue");
    if (answer !== "continue" && !this.#isClosed) this.disconnect(failureText(hook));
  }

  #syncPlaces(): void {
    this.hosted.maxPlayers = this.room.maxPlayers;
    this.hosted.maxSpectators = this.room.maxSpectators;
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.loop.stop();
    this.clock.end();
    this.#options.onClosed(this);
  }
}
