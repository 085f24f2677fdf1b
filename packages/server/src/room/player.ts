import {
  ByteWriter,
  CloseCode,
  ConfigError,
  NetError,
  PayloadKind,
  assertRange,
  readEvent,
  readPeerPayload,
  readToAuthority,
  writeAuthority,
  writeEvent,
  writeFeedback,
  writePeerPayload,
  type InputDefinition,
  type InputFeedback,
  type PeerPayload,
  type ToAuthority,
  type ViewTerms,
} from "@paceline/protocol";
import { EntityTable, lostAfterMsOf, newFields, type ReadonlyFields } from "@paceline/netcode";
import type { Participant, SeatRequest } from "@paceline/relay";
import { Requests, type Cancel, type LinkClose, type Scheduler, type Session } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import type { RoomCounters } from "../ops/room-counters.js";
import { MessageAllowance, type MessageLimits } from "../players/message-allowance.js";
import { PlayerInputs } from "../players/player-inputs.js";
import { authorityAllowance, type PlayerLimits } from "../players/player-limits.js";
import { Sight, checkedPoint, type Point } from "../entities/sight.js";
import { PlayerStates } from "../states/player-states.js";
import { BotParticipant } from "./bot-participant.js";
import type { PlayerInbox } from "./player-inbox.js";
import type { PlayerLifecycle } from "./player-lifecycle.js";
import type { RoomEntities } from "./room-entities.js";
import type { TickLoop } from "./tick-loop.js";

/** The fields of a room's inputs. */
export type InputOf<Inputs> = Inputs extends InputDefinition<infer F> ? ReadonlyFields<F> : undefined;

/** The relay's half of a player, as far as the game's half uses it. */
export type PlayerParticipant = Pick<
  Participant,
  | "callbacks"
  | "sendIntroductions"
  | "charge"
  | "chargeItems"
  | "end"
  | "id"
  | "info"
  | "inOrderLink"
  | "isGone"
  | "isOverdrawn"
  | "keepFor"
  | "number"
  | "reportExceeded"
  | "send"
  | "session"
  | "unloadGraceMs"
>;

/** The room of a player, as far as its players use it. */
export interface PlayerRoom {
  readonly counters: RoomCounters;
  readonly scheduler: Scheduler;
  readonly loop: TickLoop;
  readonly entities: RoomEntities;
  readonly inbox: PlayerInbox;
  readonly lifecycle: PlayerLifecycle;
  readonly messageLimits: MessageLimits;
  readonly playerLimits: PlayerLimits;
  /** Limit of the entities that one player may own. */
  readonly maxOwnEntities: number;
}

/** A player's place in its room. */
type Presence =
  /** `onJoin` runs. `leftWith`: the code with which the player has left meanwhile. */
  | { readonly at: "joining"; readonly leftWith: number | undefined }
  | { readonly at: "in" }
  | {
      readonly at: "away";
      /** The reason, if the room has kicked a player whose page is being reloaded. */
      readonly kickedFor: string | undefined;
      /** Cancels the end of the entities of a page that was closed. */
      readonly cancelDisown: Cancel | undefined;
    }
  /** `forgottenAtMs`: when `onLeave` had ended and the room forgot the player; undefined before. */
  | { readonly at: "left"; readonly forgottenAtMs: number | undefined };

const MAX_SECONDS_AWAY = 3600;
const LEFT = "the player has left";
/** Writes the feedback to all players. The session copies it at once. */
const head = new ByteWriter(4);
const NO_FEEDBACK: InputFeedback = { processed: undefined, leadErrorTicks: 0 };
/** A link counts as slow if more bytes than this wait for it. */
const SLOW_BYTES = 4096;
/** Assumed round trip until one is measured, ms. */
const ASSUMED_RTT_MS = 200;

/**
 * A player or spectator of a room. The object stays the same until the player leaves, across lost links and
 * reloads.
 */
export class Player<Inputs = unknown> {
  /** Free for the game's own data. */
  userData: unknown = undefined;
  /** The result of `onAuth`. */
  readonly auth: unknown;
  /** The player's join options. */
  readonly options: Readonly<Record<string, unknown>>;
  /** True for a spectator. It receives everything, and the room refuses what it sends. */
  readonly isSpectator: boolean;
  /** True for a bot of the room's: see `Room.addBot`. */
  readonly isBot: boolean;
  /** Network address from which the player asked for its seat. Empty for a bot. */
  readonly address: string;
  /** @internal The relay's half of the player. A reload of the page brings another one. */
  participant: PlayerParticipant;
  /** @internal Requests of the room to the player's game. */
  readonly requests: Requests;
  /** @internal What the player looks from, and what it watches. */
  readonly sight = new Sight();
  /** @internal Kinds whose columns the room and the player's page have exchanged. */
  readonly described = new Set<number>();
  /** @internal */
  states: PlayerStates;
  /** @internal Undefined for a spectator, and in a room without inputs. */
  inputs: PlayerInputs | undefined;
  readonly #room: PlayerRoom;
  readonly #world: World;
  readonly #inputDefinition: InputDefinition | undefined;
  /** The row of {@link input}. */
  readonly #inputRow: Float32Array | undefined;
  readonly #inputFields: object | undefined;
  /** @internal The fields of {@link input}, for a bot that drives the player. Undefined in a room without inputs. */
  readonly drivenInput: object | undefined;
  readonly #allowance: MessageAllowance;
  readonly #admitToAuthority: ReturnType<typeof authorityAllowance>;
  /** How the player wants events and messages sent. */
  #view: Pick<ViewTerms, "eventLifetimeMs" | "messagePeriodMs"> = {};
  /** The last messages about what states the player wants, by type. */
  readonly #terms = new Map<string, ToAuthority>();
  #presence: Presence = { at: "joining", leftWith: undefined };
  /** Called with true when the player is back, with false when it has left. */
  readonly #awaiting: ((isBack: boolean) => void)[] = [];

  /**
   * @internal
   * @param world the world as the player sees it
   * @param inputs the inputs that the player may send
   */
  constructor(
    participant: PlayerParticipant,
    seat: Omit<SeatRequest, "replaces">,
    room: PlayerRoom,
    world: World,
    inputs: InputDefinition | undefined,
  ) {
    this.auth = seat.auth;
    this.options = seat.options;
    this.isSpectator = seat.isSpectator;
    this.address = seat.address;
    this.isBot = participant instanceof BotParticipant;
    this.participant = participant;
    this.#room = room;
    this.#world = world;
    this.#inputDefinition = inputs;
    this.#allowance = new MessageAllowance(room.messageLimits, room.scheduler.nowMs());
    this.#admitToAuthority = authorityAllowance(room.playerLimits, room.maxOwnEntities);
    this.requests = new Requests(room.scheduler);
    this.states = this.#newStates();
    participant.callbacks = this;
    if (!inputs) return;
    const table = new EntityTable(inputs.definition, 1);
    const place = { table, row: table.allocate() };
    this.#inputRow = table.stateOf(place.row);
    this.#inputFields = newFields(inputs.definition, { place, layer: "state", isWritable: false });
    this.drivenInput = newFields(inputs.definition, { place, layer: "state", isWritable: true });
    this.inputs = new PlayerInputs(inputs, room.counters);
  }

  /** Number in the order of joining. A reload keeps it. */
  get number(): number {
    return this.participant.number;
  }

  /** Id of the player's current session. A reload changes it. */
  get id(): string {
    return this.participant.id;
  }

  /** False while the player has no link, and after it has left. */
  get isConnected(): boolean {
    switch (this.#presence.at) {
      case "joining":
        return this.#presence.leftWith === undefined;
      case "in":
        return true;
      case "away":
      case "left":
        return false;
    }
  }

  /** The player's input of this tick, or its last one if that of this tick has not arrived. */
  get input(): InputOf<Inputs> {
    return this.#inputFields as InputOf<Inputs>;
  }

  /**
   * Round-trip time, ms. Undefined until it is measured. A player can make it longer by answering pings late:
   * give no privilege for a long one.
   */
  get rttMs(): number | undefined {
    return this.participant.session.rttMs;
  }

  /**
   * What the player looks from, in a room with `interest`: an entity or a place. Undefined (default): its own entity, the
   * first one that has a position. After the end of what it looks from, it goes on looking from there. Setting it throws
   * {@link ConfigError} for what is neither a place nor an entity of the room.
   */
  get viewpoint(): object | undefined {
    const { from } = this.sight;
    return from && "rows" in from ? from.entity : from;
  }

  set viewpoint(from: object | undefined) {
    this.sight.from = from === undefined ? undefined : this.#checkedViewpoint(from);
  }

  #checkedViewpoint(from: object): EntityRecord | Point {
    const isPlace = "x" in from && "y" in from && !("kind" in from);
    return isPlace ? checkedPoint("viewpoint", from as Point) : this.#watchable("viewpoint", from);
  }

  /**
   * Lets the player see an entity wherever it is, in a room with `interest`: a target, a friend. Its own entities need no
   * call. Throws {@link ConfigError} for what is no entity of the room, and for more than 32.
   */
  watch(entity: object): void {
    this.sight.watch(this.#watchable("entity", entity));
  }

  /** Ends {@link watch}. Has no effect for an entity that the player does not watch. */
  unwatch(entity: object): void {
    this.sight.unwatch(this.#room.entities.world.recordOf(entity));
  }

  #watchable(field: string, entity: object): EntityRecord {
    const { entities, scheduler } = this.#room;
    const record = entities.world.recordOf(entity);
    if (!record.despawned) return record;
    const departure = record.departure(scheduler.nowMs());
    throw new ConfigError(field, entity, `an entity that is in this room (${departure})`);
  }

  /** @internal Where the player is: in the room from the end of `onJoin` until it leaves. */
  get presence(): Readonly<Presence> {
    return this.#presence;
  }

  /** @internal True from the end of `onJoin` until the player leaves. */
  get isIn(): boolean {
    return this.#presence.at === "in" || this.#presence.at === "away";
  }

  /** @internal True if the player can receive states: it is in the room, and its link is open. */
  get isReachable(): boolean {
    return this.#presence.at === "in";
  }

  /** @internal Called when `onJoin` has ended, and when the player is back. */
  enter(): void {
    this.#become({ at: "in" });
  }

  /** @internal Called when the player's link is lost. `cancelDisown`: see {@link Presence}. */
  goAway(cancelDisown?: Cancel): void {
    this.#become({ at: "away", kickedFor: undefined, cancelDisown });
  }

  /** @internal Called when the player leaves while `onJoin` runs. */
  leaveEarly(code: number): void {
    this.#become({ at: "joining", leftWith: code });
    this.#end();
  }

  /** @internal Called when the player leaves, or is refused by `onJoin`. */
  leave(): void {
    this.#become({ at: "left", forgottenAtMs: undefined });
    this.#end();
  }

  /** @internal Called when the room has despawned the entities of a player that has left. */
  forget(nowMs: number): void {
    this.#become({ at: "left", forgottenAtMs: nowMs });
  }

  /** @internal Goes on as the participant of a reloaded page. */
  rebind(participant: PlayerParticipant): void {
    this.participant.callbacks = undefined;
    this.participant = participant;
    participant.callbacks = this;
    this.described.clear();
    this.#terms.clear();
    this.#view = {};
    this.states.isEnded = true;
    this.states = this.#newStates();
    if (this.#inputDefinition) this.inputs = new PlayerInputs(this.#inputDefinition, this.#room.counters);
  }

  /** @internal Tick of the simulation for packets to the player. */
  get tick(): number {
    const { entities, loop } = this.#room;
    return this.isSpectator ? entities.spectators.tickAt(loop.tick) : loop.tick;
  }

  /** @internal */
  receive(payload: Uint8Array): void {
    const { inbox } = this.#room;
    const { chargeItems } = this.participant;
    if (payload[0] === PayloadKind.authority) {
      const message = readToAuthority(payload.subarray(1), chargeItems);
      return message ? inbox.receiveAuthority(this, message) : inbox.malformed(this);
    }
    const message = readPeerPayload(payload, chargeItems);
    if (message) inbox.receive(this, message);
    else inbox.malformed(this);
  }

  /** @internal */
  receiveEvent(body: Uint8Array): void {
    const { inbox } = this.#room;
    const message = readEvent(body, this.participant.chargeItems);
    if (message) inbox.receive(this, message);
    else inbox.malformed(this);
  }

  /** @internal */
  receiveState(body: Uint8Array, tick: number): void {
    const { entities, inbox } = this.#room;
    if (this.isSpectator) return entities.spectators.refuse(this);
    const reason = entities.owned.receive(this, body, tick);
    if (reason) inbox.malformed(this, reason);
  }

  /** @internal */
  receiveInput(body: Uint8Array): void {
    const { counters, entities, inbox, loop } = this.#room;
    if (this.isSpectator) return entities.spectators.refuse(this);
    if (!this.inputs) return this.countNotAllowed();
    counters.inputs += 1;
    const reason = this.inputs.receive(body, loop.tick);
    if (reason) inbox.malformed(this, reason);
  }

  /** @internal */
  acknowledged(sequence: number): void {
    this.states.acknowledge(sequence);
  }

  /** @internal */
  dropped(): void {
    this.#room.lifecycle.dropped(this);
  }

  /** @internal */
  returned(): void {
    this.#room.lifecycle.returned(this);
  }

  /** @internal */
  left(close: LinkClose): Promise<void> | undefined {
    return this.#room.lifecycle.left(this, close);
  }

  /** @internal Sends a reliable payload, unless the session is closed. */
  send(payload: Uint8Array): void {
    if (this.participant.isGone) return;
    const { messagePeriodMs = 0 } = payload[0] === PayloadKind.command ? this.#view : {};
    this.participant.send(payload, messagePeriodMs > 0 ? messagePeriodMs : undefined);
  }

  /** @internal Sends an event, which may be lost. `body`: its bytes, if they are known. Sends a command instead if the player wants no event to be lost. */
  sendEvent(type: string, message: unknown, body = writeEvent(type, message)): void {
    const { eventLifetimeMs, messagePeriodMs } = this.#view;
    if (eventLifetimeMs === 0) return this.send(writePeerPayload({ kind: "command", type, message }));
    const { isGone, session } = this.participant;
    if (!isGone) session.sendEvent(body, eventLifetimeMs, messagePeriodMs);
  }

  /**
   * @internal Applies a player's request about its states. Returns the name of a kind that the room defines
   * differently.
   */
  setView(message: Parameters<PlayerStates["setView"]>[0]): string | undefined {
    if (message.type === "view") this.#view = message;
    if (message.type !== "resync") this.#terms.set(message.type, message);
    return this.states.setView(message);
  }

  /** @internal The last messages about what states the player wants, as {@link readToAuthority} reads them. */
  get terms(): readonly Uint8Array[] {
    return [...this.#terms.values()].map((message) => writeAuthority(message).subarray(1));
  }

  /** @internal Copies the input of this tick to the row that the game reads. */
  takeInput(tick: number): void {
    const row = this.#inputRow;
    // A bot writes into the row itself.
    if (!row || !this.inputs || this.isBot) return;
    const input = this.inputs.take(tick);
    // For so few numbers, `set` takes longer than a loop.
    for (let index = 0; index < row.length; index++) row[index] = input[index]!;
  }

  /**
   * @internal Returns true if a message is within the player's limits, and earlier ones did not make the room
   * send far too much. Answers a dropped request, because the player waits for the reply.
   */
  admits(message: PeerPayload & { readonly kind: "command" | "request" }): boolean {
    const { scheduler, counters } = this.#room;
    const nowMs = scheduler.nowMs();
    if (!this.participant.isOverdrawn && this.#allowance.admit(message.type, nowMs)) return true;
    counters.messagesLimited += 1;
    this.refuse("message", "too many messages", message);
    return false;
  }

  /** @internal Refuses a message: a request by an error reply, another one by a notice, at most once a second. */
  refuse(what: "message" | "spectator", reason: string, message?: PeerPayload): void {
    if (message?.kind === "request") {
      this.send(writePeerPayload({ kind: "reply", id: message.id, ok: false, message: reason }));
    } else if (this.#allowance.mayNotify(this.#room.scheduler.nowMs())) {
      this.send(writeAuthority({ type: "refused", what, reason }));
    }
  }

  /**
   * @internal Returns true if a message to the authority is within its rate. Reports one beyond it: the relay
   * disconnects a player that floods.
   */
  admitsToAuthority(type: ToAuthority["type"]): boolean {
    if (this.#admitToAuthority(type, this.#room.scheduler.nowMs())) return true;
    this.participant.reportExceeded("authorityMessagesPerSession");
    return false;
  }

  /** @internal Counts a message that the player has no right to send, for the room and for the whole server. */
  countNotAllowed(): void {
    this.#room.counters.notAllowed += 1;
    this.participant.session.drops.count("not-allowed");
  }

  /** @internal Sends a request to the player's game. Resolves with the reply. */
  request(type: string, message: unknown, timeoutMs: number): Promise<unknown> {
    return this.requests.start(timeoutMs, (id) => {
      if (this.participant.isGone) throw new NetError("transport/closed", LEFT);
      this.send(writePeerPayload({ kind: "request", id, type, message }));
    });
  }

  /**
   * @internal Keeps a disconnected player's seat for this time. Resolves when the player is back, rejects when it
   * leaves for good.
   */
  allowReconnection(seconds: number): Promise<Player> {
    assertRange("seconds", seconds, [0, MAX_SECONDS_AWAY, "s"]);
    const settled = new Promise<Player>((resolve, reject) => {
      this.#awaiting.push((isBack) => {
        if (isBack) resolve(this);
        else reject(new NetError("session/ended", "the player did not come back"));
      });
    });
    // A game may ignore the result: that must not cause an unhandled rejection.
    settled.catch(() => undefined);
    this.participant.keepFor(seconds * 1000);
    if (!this.isIn) this.settle(false);
    return settled;
  }

  /** @internal Settles what waits for the player's return. */
  settle(isBack: boolean): void {
    for (const each of this.#awaiting.splice(0)) each(isBack);
  }

  /** @internal */
  kick(reason: string): void {
    // While the page is reloaded, the old participant has ended and the next one is not here yet.
    if (this.#presence.at === "away") this.#presence = { ...this.#presence, kickedFor: reason };
    this.participant.end(CloseCode.kicked, reason);
  }

  #become(presence: Presence): void {
    if (this.#presence.at === "away") this.#presence.cancelDisown?.();
    this.#presence = presence;
  }

  #end(): void {
    this.states.isEnded = true;
    this.participant.callbacks = undefined;
    this.requests.failAll("transport/closed", LEFT);
    this.settle(false);
  }

  get #feedback(): InputFeedback {
    return this.inputs?.feedback ?? NO_FEEDBACK;
  }

  #newStates(): PlayerStates {
    const { counters } = this.#room;
    const { participant } = this;
    const { session } = participant;
    const states = new PlayerStates(this.#world, {
      inOrder: () => participant.inOrderLink,
      isSlow: (nowMs) => session.isStateSlow(nowMs) || bytesBeforeStates(session) > SLOW_BYTES,
      takesStates: () => session.takesStates,
      sendLimits: (limits) => this.send(writeAuthority({ type: "limits", ...limits })),
      lostAfterMs: () => lostAfterMsOf(session.rttMs ?? ASSUMED_RTT_MS),
      send: (states, key, moment, further) => {
        const feedback = writeFeedback(head.reset(), this.#feedback).view();
        const sequence = session.sendState(states, key, feedback, moment, further);
        if (sequence === undefined) return undefined;
        counters.statePackets += 1;
        counters.stateBytes += states.length;
        for (const { length } of further ?? []) counters.stateBytes += length;
        return sequence;
      },
      next: () => session.nextState,
      player: { owner: this, sight: this.sight },
    });
    // Start with all kinds, so that the first states need not wait for the player's list of kinds.
    states.setKinds(this.#world.kinds);
    return states;
  }
}

/**
 * Returns the bytes that a further state would wait for: in the session, and in the socket that carries states.
 * Data channels are not asked, because each answer is a call into native code. States without room in one wait
 * in the session.
 */
export function bytesBeforeStates(session: Pick<Session, "linkFor" | "outbox">): number {
  const link = session.linkFor("state");
  return session.outbox.queuedBytes + (link && link.kind !== "webrtc" ? link.queuedBytes : 0);
}
