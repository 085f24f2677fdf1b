import {
  INPUT_COLUMNS,
  SERVER_NUMBER,
  ConfigError,
  ByteReader,
  NetError,
  limits,
  planState,
  readFeedback,
  readFromAuthority,
  readPeerPayload,
  readEvent,
  writeAuthority,
  writePeerPayload,
  PayloadKind,
  type AuthorityInfo,
  type DropReason,
  type EntityDefinition,
  type Fields,
  type FromAuthority,
  type InputDefinition,
  type PeerInfo,
  type PeerPayload,
  type StatePlan,
  type ViewLimits,
  type ViewTerms,
} from "@paceline/protocol";
import { type InputStep, type WritableFields } from "@paceline/netcode";
import {
  Requests,
  turnMsOf,
  type Cancel,
  type Plan,
  type PongTimes,
  type Session,
} from "@paceline/transport";
import type { Entity } from "../../entities/entity.js";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import type { Welcome } from "../../connection/server-connection-options.js";
import type { PrescribedSteps, RoomMode, RoomParts, SendingCode, SoleWriter } from "../room-mode.js";
import type { PeerConnection } from "../../peers/peer-connection.js";
import type { Peer, PeerState } from "../../peers/peer.js";
import type { ViewPolicy } from "../../policy/view-policy.js";
import type { PublishedTick } from "../../time/game-time.js";
import { HostedEntities } from "./hosted-entities.js";
import { HostedPeer } from "./hosted-peer.js";
import { InputSender } from "./input-sender.js";
import { OwnIds } from "./own-ids.js";
import { OwnRequests } from "./own-requests.js";
import type { OwnStates } from "./own-states.js";
import { RoomColumns } from "./room-columns.js";
import { Prediction, type PredictionSession } from "../prediction.js";
import { everyTicksOf, movingHeartbeatMs } from "../../policy/state-policy.js";

/** Period of messages about own entities, ms: entities that are spawned within a frame share a packet. */
const OWN_PERIOD_MS = 16;
const MAX_RESYNCED = 256;
/** Minimum time between retries of a failed send, and between requests for whole states, ms. */
const RETRY_PERIOD_MS = 500;

const refusalCodes = {
  message: "message/refused",
  entity: "entity/refused",
  spectator: "message/spectator",
} as const;

/**
 * Mode of a room with an authority: the server decides the state, and players exchange data with it alone.
 */
export class AuthoritativeMode implements RoomMode {
  readonly pairs: Iterable<PeerConnection> = [];
  readonly publishesSteps = false;
  readonly unacknowledged = 0;
  readonly steps: PrescribedSteps;
  limits: ViewLimits = {};
  readonly #parts: RoomParts;
  readonly #info: AuthorityInfo;
  readonly #isSpectator: boolean;
  readonly #peers = new Map<number, HostedPeer>();
  readonly #entities: HostedEntities;
  readonly #columns: RoomColumns;
  readonly #used = new Set<EntityDefinition>();
  readonly #requests: Requests;
  #server: HostedPeer | undefined;
  #inputs: InputSender | undefined;
  #inputDefinition: InputDefinition | undefined;
  /** The inputs that the room describes otherwise, and that this side has described. */
  #describedInput: InputDefinition | undefined;
  /** False until the authority can read the inputs of this build. */
  #areInputsRead = true;
  #prediction: Prediction | undefined;
  #cancelKinds: Cancel | undefined;
  #sentTerms = "";
  /** Sequence of the last message with the used kinds; undefined if none was needed. */
  #sentKinds: number | undefined;
  readonly #ownIds = new OwnIds();
  readonly #ownRequests: OwnRequests;
  /** Undefined until the player owns an entity, and the code that sends its states is there. */
  #ownStates: OwnStates | undefined;
  #isSendingWanted = false;
  /** Own entities that jumped before then. */
  readonly #jumped = new Set<OwnedRecord>();
  #resyncAtMs = -Infinity;

  /** @param welcome that of a room with an authority */
  constructor(parts: RoomParts, { spectator: isSpectator = false, authority }: Welcome) {
    const info = authority!;
    this.#parts = parts;
    this.#info = info;
    this.#isSpectator = isSpectator;
    this.steps = { hz: info.tickHz, why: "its authority has" };
    this.#server = this.#newPeer({ id: "server", number: SERVER_NUMBER });
    this.#requests = new Requests(parts.scheduler);
    this.#ownRequests = new OwnRequests(parts.time.tickHz);
    this.#entities = this.#newEntities();
    this.#columns = new RoomColumns({
      parts,
      tickHz: info.tickHz,
      send: (payload) => this.#trySend(writePeerPayload(payload)) !== undefined,
      onReadable: (definition) => this.#askFor(definition),
      onPlan: (kind, plan) => {
        if (kind === INPUT_COLUMNS) this.#areInputsRead = true;
        else this.#read(kind, plan);
      },
    });
    for (const definition of parts.listeners.definitions) this.use(definition);
    // After another join this participant still owns its entities.
    for (const record of parts.owned.records) this.spawned(record);
    this.#continuePlay();
  }

  #newEntities(): HostedEntities {
    const parts = this.#parts;
    const info = this.#info;
    const server = this.#server!;
    const myNumber = parts.facts.sessionNumber;
    const view = viewAt(info.tickHz, parts.view, () => this.#plan);
    return new HostedEntities({ ...parts, view }, info, {
      rttMs: () => this.#session.rttMs ?? 0,
      offsetMs: () => parts.clock.offsetMs,
      ownerOf: (owner) => (owner === myNumber ? null : (this.#peers.get(owner) ?? server)),
      isOwn: (id, owner, definition) => owner === myNumber && this.#ownIds.has(id, definition),
      onSpawn: (id) => this.#startPrediction(id),
      onDespawn: (id) => this.#prediction?.remove(id),
      onOwner: (record, isJump) => this.#prediction?.given(record, isJump),
      onDesync: (id) => this.#resync([id]),
      ask: (stream) => {
        const request = writePeerPayload({ kind: "changes", stream, changes: new Uint8Array(0) });
        return this.#trySend(request) !== undefined;
      },
    });
  }

  #newPeer(info: Pick<PeerInfo, "id" | "number" | "away">): HostedPeer {
    return new HostedPeer(info, () => this.#parts.connection.stats);
  }

  get #session(): Session {
    return this.#parts.connection.session;
  }

  get #plan(): Plan {
    return this.#parts.transport.plan;
  }

  get server(): Peer | undefined {
    return this.#server;
  }

  get peers(): readonly Peer[] {
    return [...this.#peers.values()];
  }

  soleWriter(): SoleWriter | undefined {
    return this.#server && { peer: this.#server, name: "the server" };
  }

  /** True without own entities: the page publishes nothing else to the authority. */
  get isIdle(): boolean {
    return this.#parts.owned.size === 0;
  }

  get neededDelayMs(): number | undefined {
    return this.#entities.store.neededDelayMs;
  }

  get shownTick(): number {
    return this.#entities.shownTick(turnMsOf(this.#parts.scheduler));
  }

  joined(info: PeerInfo): void {
    const peer = this.#newPeer(info);
    this.#peers.set(info.number, peer);
    this.#parts.listeners.joins.emit(peer);
  }

  left(number: number): void {
    const peer = this.#peers.get(number);
    if (!peer) return;
    this.#peers.delete(number);
    this.#parts.listeners.leaves.emit(peer, { unacknowledged: 0 });
  }

  away(number: number): void {
    this.#setState(number, "away");
  }

  back(number: number): void {
    this.#setState(number, "connected");
  }

  #setState(number: number, state: PeerState): void {
    const peer = this.#peers.get(number);
    if (!peer || peer.state === state) return;
    peer.state = state;
    const { absences, returns } = this.#parts.listeners;
    (state === "away" ? absences : returns).emit(peer);
  }

  takeSlot(): void {
    this.#parts.drops.count("bad-message");
  }

  entities(definition: EntityDefinition): Iterable<Entity> {
    return this.#entities.store.ofKind(definition);
  }

  /** Starts to use a kind. Kinds that the game names in one task share one message to the authority. */
  use(definition: EntityDefinition): void {
    if (this.#used.has(definition)) return;
    this.#used.add(definition);
    const { kinds, tickHz } = this.#info;
    const kind = kinds.findIndex(({ name }) => name === definition.name);
    if (kind < 0) return this.#mismatched(definition.name);
    if (kinds[kind]!.schemaHash === definition.schemaHash)
      this.#read(kind, planState(definition, { tickHz }));
    else this.#columns.begin(kind, definition);
  }

  #read(kind: number, plan: StatePlan): void {
    this.#entities.use(kind, plan);
    this.#scheduleKinds();
  }

  /**
   * Sends the used kinds after the game's first task. Until then the authority assumes that the game uses all
   * kinds, so the states of kinds that the game has named by now have already arrived.
   */
  begin(): void {
    this.#scheduleKinds();
  }

  #scheduleKinds(delayMs = 0): void {
    this.#cancelKinds ??= this.#parts.scheduler.after(delayMs, () => {
      this.#cancelKinds = undefined;
      // The room may have ended while this code was loading.
      if (this.#session.isClosed) return;
      const { kinds } = this.#entities;
      if (this.#sentKinds === undefined && kinds.length === this.#info.kinds.length) return;
      const sent = this.#trySend(writeAuthority({ type: "kinds", kinds }));
      if (sent === undefined) this.#scheduleKinds(RETRY_PERIOD_MS);
      else this.#sentKinds = sent;
    });
  }

  /** Sends new view terms to the authority if the plan changed them. */
  planChanged(): void {
    const terms = viewTermsOf(this.#plan, this.#info.tickHz);
    const key = Object.values(terms).join();
    if (key !== this.#sentTerms && this.#trySend(writeAuthority({ type: "view", ...terms })) !== undefined)
      this.#sentTerms = key;
    this.#entities.store.planChanged();
  }

  /**
   * Returns the player's input. The game writes it, and the client sends it with every step of the authority.
   */
  input<F extends Fields>(definition: InputDefinition<F>): WritableFields<F> {
    const known = definition as unknown as InputDefinition;
    if (this.#inputs && this.#inputDefinition === known) return this.#inputs.view as WritableFields<F>;
    const info = this.#info;
    if (!this.#server)
      throw new NetError("entity/refused", "the room has no authority that could take inputs");
    if (this.#isSpectator) throw new NetError("message/spectator", "who only watches does nothing");
    const isOther = this.#describedInput !== undefined && this.#describedInput !== known;
    if (info.inputHash === 0 || isOther) {
      throw new NetError(
        "schema/mismatch",
        "the room takes other inputs: load the same build of the game everywhere",
      );
    }
    if (known.hash !== info.inputHash && !this.#describedInput) {
      this.#areInputsRead = false;
      this.#describedInput = known;
      this.#columns.begin(INPUT_COLUMNS, known.definition);
    }
    this.#inputs?.stop();
    this.#inputDefinition = known;
    this.#inputs = new InputSender({
      parts: this.#parts,
      definition: known,
      previous: this.#parts.play.inputs,
      tickHz: info.tickHz,
      send: (body) => {
        // Without a seat, the number of the input would be that of a room before.
        if (this.#areInputsRead && this.#parts.connection.hasSeat) this.#session.sendInput(body);
      },
      onTick: (input, atMs) => this.#prediction?.advance(input, atMs),
    });
    this.#parts.play.inputs = this.#inputs;
    return this.#inputs.view as WritableFields<F>;
  }

  play(untilMs: number, step: (atMs: number) => void): boolean {
    this.#inputs?.run(untilMs, step);
    return this.#inputs !== undefined;
  }

  predict(definition: EntityDefinition, inputs: InputDefinition, step: InputStep): Prediction {
    this.input(inputs);
    const prediction = new Prediction({ parts: this.#parts, definition, inputs, step }, this.#forPrediction);
    this.#parts.play.prediction = this.#prediction = prediction;
    this.use(definition);
    for (const { id } of this.#entities.store.ofKind(definition)) this.#startPrediction(id);
    return prediction;
  }

  get #forPrediction(): PredictionSession {
    return {
      sender: this.#inputs!,
      tickSeconds: 1 / this.#info.tickHz,
      ageMsOf: (tick) => this.#entities.store.ageMsOf(tick),
    };
  }

  /** Goes on with the input that the game writes, and with its prediction, after another join. */
  #continuePlay(): void {
    const { inputs, prediction } = this.#parts.play;
    if (!inputs) return;
    try {
      this.input(inputs.definition);
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      return this.#parts.listeners.report(error);
    }
    prediction?.restart(this.#forPrediction);
    this.#prediction = prediction;
  }

  receive(payload: Uint8Array): boolean {
    // The game may have left in a handler, and more messages have waited with that one.
    if (!this.#server) return true;
    if (payload[0] === PayloadKind.authority) {
      const message = readFromAuthority(payload.subarray(1));
      if (message) this.#receiveAuthority(message);
      return message !== undefined;
    }
    const message = readPeerPayload(payload);
    if (message) this.#take(message);
    return message !== undefined;
  }

  receiveEvent(body: Uint8Array): boolean {
    if (!this.#server) return true;
    const event = readEvent(body);
    if (event) this.#take(event);
    return event !== undefined;
  }

  /**
   * Reads states of the authority.
   * @param cameAtMs time of arrival; the states may have waited for the game
   */
  receiveState(body: Uint8Array, tick: number, cameAtMs: number): void {
    if (!this.#server) return;
    const reader = new ByteReader(body);
    const feedback = readFeedback(reader);
    if (!feedback) return this.#parts.drops.count("bad-message");
    // Also without a prediction: the pace of the inputs follows the feedback.
    const processed = this.#inputs?.receiveFeedback(feedback);
    this.#prediction?.processed(processed, tick);
    const isAgreed = this.#isAgreed;
    const reason = this.#entities.receive(reader.rest(), tick, isAgreed, cameAtMs);
    if (!isAgreed) return;
    if (reason) this.#lost(reason);
    else this.#parts.listeners.states.emit(tick);
    this.#parts.reviewDelay();
  }

  answered({ remoteMs }: PongTimes): void {
    // Over another link, or another socket, a state may overtake a pong.
    if (this.#parts.connection.isOneStream) this.#entities.store.answered(remoteMs);
  }

  /** Requests an own entity: the authority decides whether this participant may own it. */
  spawned(record: OwnedRecord): void {
    if (this.#columns.isReadable(record.definition)) this.#ask(record);
  }

  /** Requests the entities that the game spawned before the authority could read their kind. */
  #askFor(definition: EntityDefinition): void {
    const { owned, listeners } = this.#parts;
    try {
      for (const record of owned.records) if (record.definition === definition) this.#ask(record);
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      listeners.report(error);
    }
  }

  #ask(record: OwnedRecord): void {
    const { id: localId, definition } = record;
    const { name, schemaHash } = definition;
    const state = this.#ownRequests.first(record);
    const { tickHz, tick } = this.#parts.time;
    this.#ownIds.request(definition);
    const own = writeAuthority({ type: "own", localId, name, schemaHash, state, tickHz, tick: tick >>> 0 });
    this.#ownRequests.sent(record, this.#send(own, OWN_PERIOD_MS));
    if (this.#ownStates) this.#ownStates.add(record);
    else this.#prepareSending();
  }

  /** Fetches the code that sends own states, while the request for the first own entity is on its way. */
  #prepareSending(): void {
    const { sending, scheduler } = this.#parts;
    if (sending.code) return this.#startSending(sending.code);
    if (this.#isSendingWanted) return;
    this.#isSendingWanted = true;
    const isIn = (): boolean => this.#server !== undefined;
    const start = (code: SendingCode): void => {
      if (isIn()) this.#startSending(code);
    };
    sending.openWhile(scheduler, isIn).then(start, () => undefined);
  }

  #startSending({ OwnStates: Sender }: SendingCode): void {
    const states = new Sender(this.#parts, this.#info, this.#ownRequests);
    this.#ownStates = states;
    for (const record of this.#parts.owned.records)
      if (this.#ownRequests.sequenceOf(record) !== undefined) states.add(record);
    for (const record of this.#jumped) states.teleported(record);
    this.#jumped.clear();
  }

  despawned(record: OwnedRecord): void {
    const { id: localId } = record;
    this.#ownRequests.remove(record);
    this.#ownStates?.remove(record);
    this.#jumped.delete(record);
    this.#ownIds.disown(localId);
    this.#send(writeAuthority({ type: "disown", localId }), OWN_PERIOD_MS);
  }

  replicate({ tick, sinceMs, isBetween }: PublishedTick): void {
    const { owned, scheduler } = this.#parts;
    owned.sample(tick, { share: 1, sinceMs });
    if (!isBetween) this.#ownStates?.publish(owned.records, { tick, nowMs: scheduler.nowMs() });
  }

  teleported(record: OwnedRecord): void {
    if (this.#ownStates) this.#ownStates.teleported(record);
    else this.#jumped.add(record);
  }

  acknowledged(sequence: number): void {
    this.#ownStates?.acknowledged(sequence);
  }

  post(payload: PeerPayload, to: Peer | undefined, isBulk: boolean): void {
    this.#checkReceiver(to);
    const bytes = writePeerPayload(payload);
    if (!isBulk) return void this.#send(bytes);
    const session = this.#session;
    session.checkBulk(bytes, limits.authorityBulkBytes);
    session.sendBulk(bytes);
  }

  sendEvent(body: Uint8Array, to: Peer | undefined): void {
    this.#checkReceiver(to);
    this.#session.sendEvent(body);
  }

  async request(type: string, message: unknown, to: Peer | undefined, timeoutMs: number): Promise<unknown> {
    this.#checkReceiver(to);
    return await this.#requests.start(timeoutMs, (id) =>
      this.#send(writePeerPayload({ kind: "request", id, type, message })),
    );
  }

  #checkReceiver(to: Peer | undefined): void {
    if (!to || to === this.#server) return;
    throw new ConfigError("to", to, "nobody, or room.authority");
  }

  end(): void {
    this.#server = undefined;
    this.#columns.end();
    this.#inputs?.stop();
    this.#cancelKinds?.();
    this.#requests.failAll("transport/closed", "the room was left");
    this.#entities.store.clear();
    for (const number of [...this.#peers.keys()]) this.left(number);
  }

  #startPrediction(id: number): void {
    const record = this.#entities.store.record(id);
    if (record) this.#prediction?.add(record);
  }

  #take(message: PeerPayload): void {
    const { messages } = this.#parts;
    if (message.kind === "command") messages.deliver(message.type, message.message, this.#server!);
    else if (message.kind === "request")
      messages.answer(this.#server!, message, (reply) => this.#reply(reply));
    else if (message.kind === "reply") this.#requests.reply(message.id, message.ok, message.message);
    else if (message.kind === "changes") {
      const reason = this.#entities.lists.receive(message.stream, message.changes);
      if (reason) this.#parts.drops.count(reason);
    } else if (message.kind === "columns" && !this.#columns.receive(message.stream, message.columns))
      this.#parts.drops.count("bad-message");
  }

  #reply(reply: PeerPayload): void {
    // After another join, the request that it answers is that of another session.
    if (this.#server && !this.#session.isClosed) this.#send(writePeerPayload(reply));
  }

  #receiveAuthority(message: FromAuthority): void {
    if (message.type === "resync") return this.#ownStates?.resync();
    if (message.type === "limits") return void (this.limits = message);
    if (message.type === "corrected") return this.#correct(message.localId, message.state);
    if (message.type === "granted") return this.#resync(this.#ownIds.granted(message.localId, message.id));
    if (message.what === "entity") this.#resync(this.#ownIds.refused());
    if (message.what === "kind") return this.#mismatched(message.reason);
    this.#parts.listeners.report(new NetError(refusalCodes[message.what], message.reason));
  }

  #correct(localId: number, body: Uint8Array): void {
    const { owned, drops } = this.#parts;
    const record = owned.get(localId);
    const plan = record && this.#columns.correctionsOf(record.definition);
    const state = record && this.#ownRequests.corrected(record, body, plan);
    if (state) owned.correct(record, state);
    // A correction of an entity that the game has just despawned is no error.
    else if (record) drops.count("bad-message");
  }

  /**
   * Handles states that cannot be read, for example without baselines after a change of kinds. Requests whole
   * states.
   */
  #lost(reason: DropReason): void {
    this.#parts.drops.count(reason);
    const nowMs = this.#parts.scheduler.nowMs();
    if (reason === "outdated" || this.#cancelKinds || nowMs - this.#resyncAtMs < RETRY_PERIOD_MS) return;
    this.#resyncAtMs = nowMs;
    this.#trySend(writeAuthority({ type: "resync", ids: [] }));
  }

  #resync(ids: readonly number[]): void {
    if (ids.length > 0) this.#trySend(writeAuthority({ type: "resync", ids: ids.slice(0, MAX_RESYNCED) }));
  }

  #mismatched(name: string): void {
    const message = `the room has no "${name}" that this page knows: load the same build of the game everywhere`;
    this.#parts.listeners.report(new NetError("schema/mismatch", message));
  }

  /**
   * True if states contain exactly the kinds that are read here. Otherwise one kind could be read as another.
   */
  get #isAgreed(): boolean {
    // The acks of a packet are processed before its states.
    if (this.#sentKinds !== undefined) return this.#session.commands.isAcknowledged(this.#sentKinds);
    return this.#entities.kinds.length === this.#info.kinds.length;
  }

  /** Sends a message on which no call of the game depends. Returns undefined if the queue is full. */
  #trySend(payload: Uint8Array): number | undefined {
    try {
      return this.#send(payload);
    } catch (error) {
      if (error instanceof NetError) return undefined;
      throw error;
    }
  }

  /** Sends a message. Drops it if only this mode needs it and another one follows, with the next welcome. */
  #send(payload: Uint8Array, periodMs?: number): number {
    if (payload[0] !== PayloadKind.command && !this.#parts.connection.hasSeat) return -1;
    return this.#session.sendReliable(payload, periodMs);
  }
}

/** Returns view settings with the interval of the authority's states, which skip some of its ticks. */
function viewAt(tickHz: number, view: ViewPolicy, plan: () => Plan): ViewPolicy {
  const intervalMs = (): number => (everyTicksOf(plan(), tickHz) * 1000) / tickHz;
  return Object.create(view, { intervalMs: { get: intervalMs } }) as ViewPolicy;
}

/** Computes the rates and thresholds that this client requests from an authority with that step rate. */
export function viewTermsOf(plan: Plan, tickHz: number): Required<ViewTerms> {
  const { numbers, channels, style, repeats } = plan;
  const { event, command } = channels;
  return {
    isInterpolated: style === "interpolation",
    everyTicks: everyTicksOf(plan, tickHz),
    thresholdM: numbers.thresholdM,
    headingRad: numbers.headingRad,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: movingHeartbeatMs(numbers),
    repeats,
    bytesPerSecond: numbers.stateBytesPerSecond,
    eventLifetimeMs: event.delivery === "lifetime" ? event.lifetimeMs : 0,
    messagePeriodMs: command.periodMs,
  };
}
