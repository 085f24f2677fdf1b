import {
  CloseCode,
  ConfigError,
  NetError,
  PayloadKind,
  readEvent,
  readPeerPayload,
  readToAuthority,
  writeAuthority,
  writePeerPayload,
  type AuthorityInfo,
  type PeerPayload,
  type ToAuthority,
} from "@paceline/protocol";
import type { HostedParticipant, HostedRoom, HostedSeat, Log, RoomHost } from "@paceline/relay";
import type { LinkClose, Scheduler } from "@paceline/transport";
import { Hooks } from "./hooks.js";
import { checkedMessageLimits } from "./message-allowance.js";
import { MessageDesk } from "./message-desk.js";
import { OwnedStates, type BreachAnswer } from "./owned-states.js";
import type { Breach } from "./plausibility.js";
import type { Player } from "./player.js";
import { PlayerLine } from "./player-line.js";
import { RoomClock } from "./room-clock.js";
import { newRoomCounters } from "./room-counters.js";
import { Room } from "./room.js";
import { Broadcast } from "./states/broadcast.js";
import type { Feed } from "./states/feed.js";
import { TickLoop } from "./tick-loop.js";
import { World, type EntityRecord } from "./world.js";

export interface RoomCoreOptions {
  readonly room: Room;
  readonly hosted: HostedRoom;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly hookTimeoutMs: number;
  /** A step that takes longer has blocked the server. */
  readonly blockedMs: number;
  onClosed(core: RoomCore): void;
  /** A hook has failed after {@link onClosed}. */
  onLateError(hook: string): void;
}

const HISTORY_TICKS = 64;
const MOST_METADATA_BYTES = 4096;
/** A room that blocks the server this often in a row is ended. */
const BLOCKED_TICKS = 3;
/** How long a player who loads the page anew may take to be back. */
const RELOAD_SECONDS = 60;

/** All of a room that its class does not see: its players' lines, its world, its loop. */
export class RoomCore implements RoomHost {
  readonly room: Room;
  readonly hosted: HostedRoom;
  readonly hooks: Hooks;
  readonly clock: RoomClock;
  readonly loop: TickLoop;
  readonly world: World;
  readonly broadcasts: Broadcast;
  readonly desk: MessageDesk;
  readonly owned: OwnedStates;
  readonly counters = newRoomCounters();
  readonly players = new Map<number, Player>();
  readonly info: AuthorityInfo;
  readonly #options: RoomCoreOptions;
  readonly #lines = new Map<HostedParticipant, PlayerLine>();
  readonly #byPlayer = new WeakMap<Player, PlayerLine>();
  #blocked = 0;
  #isClosed = false;

  constructor(options: RoomCoreOptions) {
    const { room, hosted, scheduler, log, hookTimeoutMs } = options;
    this.#options = options;
    this.room = room;
    this.hosted = hosted;
    this.hooks = new Hooks({
      scheduler,
      log,
      roomName: hosted.name,
      timeoutMs: hookTimeoutMs,
      onError: (hook) => this.#hookFailed(hook),
    });
    this.clock = new RoomClock(scheduler, (fn) => this.hooks.call("clock", fn));
    const { tickHz, entities } = room;
    this.world = new World({ definitions: entities, tickHz, historyTicks: HISTORY_TICKS });
    const { stateBytesPerSecond: bytesPerSecond } = room;
    this.broadcasts = new Broadcast({ world: this.world, tickHz, bytesPerSecond });
    this.loop = new TickLoop({ scheduler, tickHz, step: (tick) => this.#step(tick) });
    this.desk = new MessageDesk({
      hooks: this.hooks,
      counters: this.counters,
      refuse: (line, reason) => line.send(writeAuthority({ type: "refused", what: "message", reason })),
    });
    this.owned = new OwnedStates({
      world: this.world,
      rules: room.playerEntities,
      counters: this.counters,
      nowSeconds: () => scheduler.nowMs() / 1000,
      answer: (line, { entity }, breach) => this.#breached(line, entity, breach),
    });
    this.info = { tickHz, kinds: this.world.kinds, inputHash: room.inputs?.hash ?? 0 };
    Room.attach(room, this);
  }

  /** Runs `onCreate`, then the loop. False where the room is not to be. */
  async open(options: object): Promise<boolean> {
    const outcome = await this.hooks.wait("onCreate", () => this.room.onCreate?.(options as never));
    if (!outcome.ok) {
      this.#end();
      return false;
    }
    this.#syncPlaces();
    this.loop.start();
    return true;
  }

  tickFor(): number {
    return this.loop.tick;
  }

  async join(participant: HostedParticipant, seat: HostedSeat): Promise<string | undefined> {
    if (seat.replaces !== undefined) return this.#rejoin(participant, seat.replaces);
    const { counters, hooks, room } = this;
    const line = new PlayerLine({
      participant,
      seat,
      world: this.world,
      inputs: room.inputs,
      counters,
      scheduler: this.#options.scheduler,
      messageLimits: checkedMessageLimits(room.messageLimits),
    });
    const { player } = line;
    this.#lines.set(participant, line);
    this.#byPlayer.set(player, line);
    this.players.set(participant.number, player);
    const outcome = await hooks.wait("onJoin", () =>
      room.onJoin?.(player as never, seat.options as never, seat.auth),
    );
    if (!outcome.ok) {
      counters.joinsRefused += 1;
      this.#forget(line);
      return outcome.refusal ?? "the room failed to let this player in";
    }
    counters.joins += 1;
    line.isIn = true;
    if (!this.#lines.has(participant)) this.#leave(line, CloseCode.timeout);
    this.#syncPlaces();
    return undefined;
  }

  receive(participant: HostedParticipant, payload: Uint8Array): void {
    const line = this.#lines.get(participant);
    if (!line) return;
    if (payload[0] === PayloadKind.authority) {
      const message = readToAuthority(payload.subarray(1));
      return message ? this.#told(line, message) : this.#malformed(line);
    }
    const message = readPeerPayload(payload);
    if (message) this.#receive(line, message);
    else this.#malformed(line);
  }

  receiveEvent(participant: HostedParticipant, body: Uint8Array): void {
    const line = this.#lines.get(participant);
    const message = readEvent(body);
    if (line && message) this.#receive(line, message);
    else if (line) this.#malformed(line);
  }

  receiveState(participant: HostedParticipant, body: Uint8Array, tick: number): void {
    const line = this.#lines.get(participant);
    if (line && !this.owned.receive(line, body, tick)) this.#malformed(line);
  }

  receiveInput(participant: HostedParticipant, body: Uint8Array): void {
    const line = this.#lines.get(participant);
    if (!line?.inputs) {
      this.counters.notAllowed += 1;
      return;
    }
    this.counters.inputs += 1;
    const reason = line.inputs.receive(body, this.loop.tick);
    if (reason) this.#malformed(line);
  }

  acknowledged(participant: HostedParticipant, sequence: number): void {
    this.#lines.get(participant)?.feed.acknowledge(sequence);
  }

  dropped(participant: HostedParticipant): void {
    const line = this.#lines.get(participant);
    if (!line) return;
    line.isConnected = false;
    this.counters.drops += 1;
    participant.keepFor(this.room.reconnectSeconds * 1000);
    this.hooks.call("onDrop", () => this.room.onDrop?.(line.player));
  }

  returned(participant: HostedParticipant): void {
    const line = this.#lines.get(participant);
    if (line && !line.isConnected) this.#returned(line);
  }

  left(participant: HostedParticipant, { code }: LinkClose): void {
    const line = this.#lines.get(participant);
    if (!line) return;
    // Somebody who loads the page anew ends the old session first: the player is away, not gone.
    if (code === CloseCode.replaced && line.isIn) {
      line.isConnected = false;
      this.#options.scheduler.after(RELOAD_SECONDS * 1000, () => {
        if (this.#lines.get(participant) === line) this.#leave(line, CloseCode.timeout);
      });
      return;
    }
    if (line.isIn) this.#leave(line, code);
    else this.#lines.delete(participant);
  }

  close(): void {
    for (const line of [...this.#lines.values()]) if (line.isIn) this.#leave(line, CloseCode.roomClosed);
    this.#end();
    void this.hooks.wait("onDispose", () => this.room.onDispose?.());
  }

  lineOf(player: Player): PlayerLine {
    const line = this.#byPlayer.get(player);
    if (line) return line;
    throw new ConfigError({ field: "player", value: player, expected: "a player of this room" });
  }

  despawn(record: EntityRecord): void {
    const feeds = Array.from(this.#lines.values(), ({ feed }) => feed);
    this.broadcasts.removed(record, feeds);
    this.world.remove(record);
  }

  setOwner(record: EntityRecord, owner: Player | undefined): void {
    this.world.setOwner(record, owner);
    this.broadcasts.force(record);
  }

  teleport(record: EntityRecord): void {
    this.world.history.teleport(record.id);
    this.broadcasts.teleported(record);
  }

  broadcast(type: string, message: unknown, except: Player | readonly Player[] = []): void {
    const payload = writePeerPayload({ kind: "command", type, message });
    const left = new Set<Player>("number" in except ? [except] : except);
    for (const { isIn, player, participant } of this.#lines.values()) {
      if (isIn && !left.has(player)) participant.send(payload);
    }
  }

  send(player: Player, type: string, message: unknown): void {
    this.lineOf(player).send(writePeerPayload({ kind: "command", type, message }));
  }

  request(player: Player, type: string, message: unknown, timeoutMs: number): Promise<unknown> {
    const line = this.lineOf(player);
    return line.requests.start(timeoutMs, (id) =>
      line.send(writePeerPayload({ kind: "request", id, type, message })),
    );
  }

  allowReconnection(player: Player, seconds: number): Promise<Player> {
    const line = this.lineOf(player);
    if (!(seconds >= 0 && seconds <= 3600)) {
      throw new ConfigError({ field: "seconds", value: seconds, expected: "0 to 3600 s" });
    }
    const settled = new Promise<Player>((resolve, reject) => {
      line.onSettled = (isBack) => {
        if (isBack) resolve(player);
        else reject(new NetError("session/ended", "the player did not come back"));
      };
    });
    // A game that does not wait for it has not failed.
    settled.catch(() => undefined);
    line.participant.keepFor(seconds * 1000);
    return settled;
  }

  setMetadata(metadata: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(metadata) ?? "";
    if (text.length > MOST_METADATA_BYTES || !text.startsWith("{")) {
      const expected = `an object of at most ${MOST_METADATA_BYTES} bytes as JSON`;
      throw new ConfigError({ field: "metadata", value: `${text.length} bytes`, expected });
    }
    this.hosted.metadata = JSON.parse(text) as Record<string, unknown>;
  }

  disconnect(reason: string): void {
    this.hosted.end(CloseCode.roomClosed, reason);
  }

  #step(tick: number): void {
    const startedMs = this.#options.scheduler.nowMs();
    for (const line of this.#lines.values()) line.takeInput(tick);
    this.hooks.call("onTick", () => this.room.onTick?.(1 / this.info.tickHz, tick));
    if (this.#isClosed) return;
    const feeds: Feed[] = [];
    for (const { isIn, isConnected, feed } of this.#lines.values()) if (isIn && isConnected) feeds.push(feed);
    this.hooks.call("states", () => this.broadcasts.write({ tick, nowMs: startedMs }, feeds));
    this.#syncPlaces();
    this.#watch(this.#options.scheduler.nowMs() - startedMs);
  }

  /** Nobody can stop code that blocks; a room that does it again and again is ended, for the others' sake. */
  #watch(tookMs: number): void {
    this.#blocked = tookMs > this.#options.blockedMs ? this.#blocked + 1 : 0;
    if (this.#blocked < BLOCKED_TICKS) return;
    this.#options.log.error("a room blocks the server and is ended", { roomId: this.hosted.id, tookMs });
    this.disconnect("the room failed: it blocked the server");
  }

  #receive(line: PlayerLine, message: PeerPayload): void {
    // What comes before onJoin has ended has no place to go: an honest client waits for its welcome.
    if (!line.isIn) {
      this.counters.notAllowed += 1;
      return;
    }
    if ((message.kind === "command" || message.kind === "request") && !line.admits(message)) return;
    switch (message.kind) {
      case "command": {
        const { room } = this;
        const fallback =
          room.onAnyMessage &&
          ((player: Player, type: string, content: unknown) => room.onAnyMessage?.(player, type, content));
        return this.desk.receive(line, message, fallback);
      }
      case "request":
        void this.desk.reply(line, message);
        return;
      case "reply":
        return line.requests.reply(message.id, message.ok, message.message);
      case "stream":
      case "reference":
      case "resync":
      case "fields":
      case "present":
        // What players tell each other where nobody decides has no place here.
        this.counters.notAllowed += 1;
    }
  }

  #breached(line: PlayerLine, entity: object, breach: Breach): BreachAnswer {
    let answer: BreachAnswer = "correct";
    this.hooks.call("onBreach", () => {
      answer = this.room.onBreach?.(line.player, entity, breach) ?? answer;
    });
    return answer;
  }

  #told(line: PlayerLine, message: ToAuthority): void {
    if (message.type === "own") return this.#wanted(line, message);
    if (message.type === "disown") {
      const record = this.owned.despawn(line, message.localId);
      if (record && this.world.records.get(record.id) === record) this.despawn(record);
      return;
    }
    if (message.type === "resync") {
      if (message.ids.length === 0) line.feed.restart();
      for (const id of message.ids) line.feed.resync(id);
      return;
    }
    const other = line.feed.setKinds(message.kinds);
    if (other !== undefined) line.send(writeAuthority({ type: "refused", what: "kind", reason: other }));
  }

  #wanted(line: PlayerLine, message: ToAuthority & { readonly type: "own" }): void {
    const reason = this.owned.spawn(line, message);
    if (reason === undefined) return;
    this.counters.notAllowed += 1;
    line.send(writeAuthority({ type: "refused", what: "entity", reason }));
  }

  #malformed({ participant }: PlayerLine): void {
    this.counters.malformed += 1;
    participant.session.reportViolation("bad-message");
  }

  /** The page was loaded anew: the player goes on as another participant. */
  #rejoin(participant: HostedParticipant, sessionId: string): string | undefined {
    for (const [old, line] of this.#lines) {
      if (old.id !== sessionId || line.isConnected) continue;
      this.#lines.delete(old);
      this.players.delete(old.number);
      line.rebind(participant);
      this.#lines.set(participant, line);
      this.players.set(participant.number, line.player);
      for (const record of this.world.records.values()) {
        if (record.owner === line.player) this.setOwner(record, line.player);
      }
      this.#returned(line);
      return undefined;
    }
    return "the session is over";
  }

  #returned(line: PlayerLine): void {
    line.isConnected = true;
    line.feed.catchUp();
    this.counters.reconnects += 1;
    line.onSettled?.(true);
    line.onSettled = undefined;
    this.hooks.call("onReconnect", () => this.room.onReconnect?.(line.player));
  }

  #leave(line: PlayerLine, code: number): void {
    const { player } = line;
    this.counters.leaves += 1;
    this.#lines.delete(line.participant);
    this.players.delete(line.participant.number);
    line.isIn = false;
    line.isConnected = false;
    line.requests.failAll("transport/closed", "the player has left");
    line.onSettled?.(false);
    line.onSettled = undefined;
    void this.hooks
      .wait("onLeave", () => this.room.onLeave?.(player as never, code))
      .then(() => this.#forget(line));
  }

  /** Whatever still belongs to a player who is out goes too. */
  #forget(line: PlayerLine): void {
    this.#lines.delete(line.participant);
    this.players.delete(line.participant.number);
    for (const record of [...this.world.records.values()]) {
      if (record.owner === line.player) this.despawn(record);
    }
    this.#byPlayer.delete(line.player);
  }

  #hookFailed(hook: string): void {
    if (this.#isClosed) this.#options.onLateError(hook);
    const { hookErrors } = this.counters;
    hookErrors[hook] = (hookErrors[hook] ?? 0) + 1;
  }

  #syncPlaces(): void {
    this.hosted.maxPeers = this.room.maxClients;
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.loop.stop();
    this.clock.end();
    this.#options.onClosed(this);
  }
}
