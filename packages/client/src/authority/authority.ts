import {
  SERVER_NUMBER,
  ByteReader,
  ByteWriter,
  writeOwned,
  writeRow,
  NetError,
  limits,
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
  type ViewLimits,
} from "@paceline/protocol";
import {
  ReceiverReplication,
  lostAfterMsOf,
  type Clamp,
  type InputStep,
  type MotionFault,
  type ReplicationMoment,
  type WritableFields,
} from "@paceline/netcode";
import {
  MAX_EVENT_BYTES,
  Requests,
  type Cancel,
  type Plan,
  type Scheduler,
  type Session,
} from "@paceline/transport";
import type { Entity } from "../entities/entity.js";
import type { OwnedRecord } from "../entities/owned-entities.js";
import type { ServerStats } from "../paths/path-stats.js";
import type { RoomMessages } from "../peers/room-messages.js";
import type { ViewPlan } from "../plan/view-plan.js";
import { HostedEntities } from "./hosted-entities.js";
import { HostedPeer } from "./hosted-peer.js";
import { InputSender } from "./input-sender.js";
import { OwnIds } from "./own-ids.js";
import { Prediction } from "./prediction.js";
import { policyOf } from "../plan/state-policy.js";
import { viewTermsOf } from "./view-terms.js";

export interface AuthorityOptions {
  readonly info: AuthorityInfo;
  readonly scheduler: Scheduler;
  readonly myNumber: number;
  readonly isSpectator: boolean;
  readonly peers: readonly PeerInfo[];
  readonly messages: RoomMessages;
  /** Whether the game's loop says when inputs are taken. */
  readonly isLooping: () => boolean;
  session(): Session;
  serverStats(): ServerStats;
  /** How entities are shown, as the plan says it at the moment. */
  readonly view: ViewPlan;
  plan(): Plan;
  /** Of states of own entities, per second. */
  readonly tickHz: number;
  onSpawn(entity: Entity): void;
  onDespawn(entity: Entity): void;
  /** States of a tick were read, all or some. */
  onStates(tick: number): void;
  onError(error: NetError): void;
  onFault(entity: Entity, definition: EntityDefinition, fault: MotionFault): void;
  onDropped(reason: DropReason): void;
  /** The game wrote a value out of its range: the bound was taken. */
  onClamp(clamp: Clamp): void;
  /** An entity of this participant has to go on from there. */
  onCorrected(localId: number, state: Uint8Array): void;
}

/** Round trip until one was measured, ms. */
const ASSUMED_RTT_MS = 200;
/** Entities that are spawned within a frame share their packets. */
const OWN_PERIOD_MS = 16;
/**
 * States of own entities take half of what a server's default limit lets a session send. With more entities each is told
 * less often, those first that have waited longest.
 */
const STATE_BYTES_PER_SECOND = 131_072;
/** Local id, and number of components. */
const OWNED_HEAD_BYTES = 4;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
const MOST_RESYNCED = 256;
/** What could not be sent, and states that make no sense, are tried again at most this often. */
const RETRY_PERIOD_MS = 500;

const refusalCodes = {
  message: "message/refused",
  entity: "entity/refused",
  spectator: "message/spectator",
} as const;

/** The authority of a room, as one of its players has it: its entities, its messages, and what this player does. */
export class Authority {
  readonly server: HostedPeer;
  readonly peers = new Map<number, HostedPeer>();
  readonly entities: HostedEntities;
  /** What of the plan does not count in this room. */
  limits: ViewLimits = {};
  readonly requests: Requests;
  readonly #options: AuthorityOptions;
  #inputs: InputSender | undefined;
  #inputDefinition: InputDefinition | undefined;
  #prediction: Prediction | undefined;
  #cancelKinds: Cancel | undefined;
  /** How the authority was told to tell. */
  #toldTerms = "";
  /** The session's number of the message that told the authority last; undefined where it was right without. */
  #toldKinds: number | undefined;
  readonly #ownIds = new OwnIds();
  /** What the authority knows of own entities. */
  readonly #replication: ReceiverReplication;
  #publishedAtMs = Number.NEGATIVE_INFINITY;
  #resyncAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AuthorityOptions) {
    const { scheduler, info, peers, myNumber } = options;
    this.#options = options;
    this.server = new HostedPeer({ id: "server", number: SERVER_NUMBER }, () => options.serverStats());
    for (const peer of peers) this.join(peer);
    this.requests = new Requests(scheduler);
    this.#replication = new ReceiverReplication({ tickSeconds: 1 / options.tickHz });
    this.entities = new HostedEntities({
      info,
      clock: scheduler,
      rttMs: () => options.session().rttMs ?? 0,
      myNumber,
      peer: (number) => this.peers.get(number) ?? this.server,
      view: options.view,
      isOwn: (id, owner, definition) => owner === myNumber && this.#ownIds.has(id, definition),
      onSpawn: (entity) => {
        this.#adopt(entity.id);
        options.onSpawn(entity);
      },
      onDespawn: (entity) => {
        this.#prediction?.release(entity.id);
        options.onDespawn(entity);
      },
      onDropped: (reason) => options.onDropped(reason),
      onDesync: (id) => this.#resync([id]),
      onFault: (entity, definition, fault) => options.onFault(entity, definition, fault),
    });
  }

  join(info: PeerInfo): HostedPeer {
    const peer = new HostedPeer(info, () => this.#options.serverStats());
    this.peers.set(info.number, peer);
    return peer;
  }

  leave(number: number): HostedPeer | undefined {
    const peer = this.peers.get(number);
    this.peers.delete(number);
    return peer;
  }

  /** The game uses a kind of entity: the authority is told, of all that are named in one go together. */
  use(definition: EntityDefinition): void {
    const isNews = this.entities.use(definition);
    if (typeof isNews === "string") return this.#mismatched(isNews);
    if (isNews) this.#tellKindsSoon();
  }

  /**
   * The game has had its turn. Until it is told, the authority takes it that all kinds are used: where the game has named
   * them by now, its states are here already.
   */
  begin(): void {
    this.#tellKindsSoon();
  }

  #tellKindsSoon(delayMs = 0): void {
    this.#cancelKinds ??= this.#options.scheduler.after(delayMs, () => {
      this.#cancelKinds = undefined;
      // The room may have ended while this code was fetched.
      if (this.#options.session().isClosed) return;
      const { kinds } = this.entities;
      if (this.#toldKinds === undefined && kinds.length === this.#options.info.kinds.length) return;
      const told = this.#trySend(writeAuthority({ type: "kinds", kinds }));
      if (told === undefined) this.#tellKindsSoon(RETRY_PERIOD_MS);
      else this.#toldKinds = told;
    });
  }

  /** The plan has changed: the authority is told where it has to tell otherwise. */
  planChanged(): void {
    const terms = viewTermsOf(this.#options.plan(), this.#options.info.tickHz);
    const key = Object.values(terms).join();
    if (key !== this.#toldTerms && this.#trySend(writeAuthority({ type: "view", ...terms })) !== undefined)
      this.#toldTerms = key;
    this.entities.store.planChanged();
  }

  /** What this player does: write it, it is sent with every step of the authority. */
  input<F extends Fields>(definition: InputDefinition<F>): WritableFields<F> {
    const known = definition as unknown as InputDefinition;
    if (this.#inputs && this.#inputDefinition === known) return this.#inputs.view as WritableFields<F>;
    const { info, scheduler, isSpectator } = this.#options;
    if (isSpectator) throw new NetError("message/spectator", "who only watches does nothing");
    if (definition.hash !== info.inputHash) {
      throw new NetError(
        "schema/mismatch",
        "the room takes other inputs: load the same build of the game everywhere",
      );
    }
    this.#inputs?.stop();
    this.#inputDefinition = known;
    this.#inputs = new InputSender({
      scheduler,
      definition: known,
      tickHz: info.tickHz,
      send: (body) => this.#options.session().sendInput(body),
      onClamp: (clamp) => this.#options.onClamp(clamp),
      isLooping: () => this.#options.isLooping(),
      onTick: (input, atMs) => this.#prediction?.advance(input, atMs),
    });
    return this.#inputs.view as WritableFields<F>;
  }

  /** Whether inputs are taken from this player. */
  get isPlaying(): boolean {
    return this.#inputs !== undefined;
  }

  /** Takes the inputs of the steps that are due by that moment; the game writes each in `step`. */
  play(untilMs: number, step: (atMs: number) => void): void {
    this.#inputs?.run(untilMs, step);
  }

  /** Own entities of a kind are shown where the inputs have brought them; see {@link Prediction}. */
  predict(definition: EntityDefinition, inputs: InputDefinition, step: InputStep): Prediction {
    this.input(inputs);
    const options = this.#options;
    const { info, scheduler, myNumber } = options;
    this.#prediction = new Prediction({
      definition,
      inputs,
      step,
      sender: this.#inputs!,
      tickSeconds: 1 / info.tickHz,
      myNumber: () => myNumber,
      nowMs: () => scheduler.nowMs(),
      onFault: ({ entity }, fault) => options.onFault(entity, definition, fault),
    });
    this.use(definition);
    for (const { id } of this.entities.store.ofKind(definition)) this.#adopt(id);
    return this.#prediction;
  }

  /** A reliable payload of the authority; false where it makes no sense. */
  receive(payload: Uint8Array): boolean {
    if (payload[0] === PayloadKind.authority) {
      const message = readFromAuthority(payload.subarray(1));
      if (message) this.#hear(message);
      return message !== undefined;
    }
    const message = readPeerPayload(payload);
    if (message) this.#take(message);
    return message !== undefined;
  }

  receiveEvent(body: Uint8Array): boolean {
    const event = readEvent(body);
    if (event) this.#take(event);
    return event !== undefined;
  }

  /** @param cameAtMs when the states arrived; they may have waited for the game */
  receiveState(body: Uint8Array, tick: number, cameAtMs: number): void {
    const reader = new ByteReader(body);
    const feedback = readFeedback(reader);
    if (!feedback) return this.#options.onDropped("bad-message");
    this.#prediction?.processed(this.#inputs?.told(feedback));
    if (!this.#isAgreed) return;
    const reason = this.entities.receive(reader.rest(), tick, cameAtMs);
    if (reason) this.#lost(reason);
    else this.#options.onStates(tick);
  }

  /** This participant wants to own an entity: the authority decides whether it may. */
  own({ localId, definition, place }: OwnedRecord): void {
    const { name, schemaHash } = definition;
    const state = writeRow(new ByteWriter(), place.table.stateOf(place.row)).take();
    this.#ownIds.ask(localId, definition);
    this.#send(writeAuthority({ type: "own", localId, name, schemaHash, state }), OWN_PERIOD_MS);
  }

  disown({ localId }: OwnedRecord): void {
    this.#replication.remove(localId);
    this.#ownIds.disown(localId);
    this.#send(writeAuthority({ type: "disown", localId }), OWN_PERIOD_MS);
  }

  /**
   * Sends the states of entities that this participant simulates, as the plan says and as many to a packet as fit; the
   * authority checks them, continues them between two, and passes them on.
   */
  publish(records: Iterable<OwnedRecord>, moment: ReplicationMoment): void {
    const { tickHz } = this.#options;
    const plan = this.#options.plan();
    const { rttMs = ASSUMED_RTT_MS } = this.#options.session();
    // Packets follow each other by the plan's period; a step that comes a little early counts.
    const leastMs = plan.channels.state.periodMs - 500 / tickHz;
    if (moment.nowMs - this.#publishedAtMs < leastMs) return;
    const policy = {
      ...policyOf(plan),
      bytesPerSecond: STATE_BYTES_PER_SECOND,
      horizonMs: rttMs / 2,
      lostAfterMs: lostAfterMsOf(rttMs),
    };
    const due = this.#replication.due(records, moment, policy) as OwnedRecord[];
    for (let next = 0; next < due.length;) {
      const body = new ByteWriter();
      const first = next;
      for (; next < due.length; next++) {
        const { localId, state } = due[next]!;
        const bytes = OWNED_HEAD_BYTES + state.length * FLOAT_BYTES;
        if (body.length > 0 && body.length + bytes > MAX_EVENT_BYTES) break;
        writeOwned(body, localId, state);
      }
      this.#publishedAtMs = moment.nowMs;
      this.#sendOwned(body, due.slice(first, next), moment);
    }
  }

  #sendOwned(body: ByteWriter, records: readonly OwnedRecord[], moment: ReplicationMoment): void {
    const { length } = body;
    const sequence = this.#options.session().sendState(body.take(), keyOf(records));
    // Nothing could be sent: it stays due.
    if (sequence === undefined) return;
    for (const record of records) this.#replication.sent(record, record.state.slice(), moment, sequence);
    this.#replication.spent(length, records.length);
  }

  /** An own entity was moved by force: its way there is no velocity. */
  teleported({ localId }: OwnedRecord): void {
    this.#replication.teleported(localId);
  }

  /** The authority has the packet of own states that went out with that number. */
  acknowledged(sequence: number): void {
    this.#replication.acknowledged(sequence);
  }

  /** Sends what goes to peers where there is no authority. */
  post(payload: PeerPayload, isBulk = false): void {
    const bytes = writePeerPayload(payload);
    if (!isBulk) return void this.#send(bytes);
    const session = this.#options.session();
    session.checkBulk(bytes, limits.authorityBulkBytes);
    session.sendBulk(bytes);
  }

  request(type: string, message: unknown, timeoutMs: number): Promise<unknown> {
    return this.requests.start(timeoutMs, (id) =>
      this.#send(writePeerPayload({ kind: "request", id, type, message })),
    );
  }

  /** The room was left, or is joined anew. */
  end(): void {
    this.#inputs?.stop();
    this.#cancelKinds?.();
    this.requests.failAll("transport/closed", "the room was left");
    this.entities.store.clear();
  }

  #adopt(id: number): void {
    const record = this.entities.store.record(id);
    if (record) this.#prediction?.adopt(record);
  }

  #take(message: PeerPayload): void {
    const { messages } = this.#options;
    if (message.kind === "command") messages.tell(message.type, message.message, this.server);
    else if (message.kind === "request") messages.answer(this.server, message, (reply) => this.#reply(reply));
    else if (message.kind === "reply") this.requests.reply(message.id, message.ok, message.message);
  }

  #reply(reply: PeerPayload): void {
    if (!this.#options.session().isClosed) this.#send(writePeerPayload(reply));
  }

  #hear(message: FromAuthority): void {
    if (message.type === "limits") return void (this.limits = message);
    if (message.type === "corrected") return this.#options.onCorrected(message.localId, message.state);
    if (message.type === "granted") return this.#resync(this.#ownIds.granted(message.localId, message.id));
    if (message.what === "entity") this.#resync(this.#ownIds.refused());
    if (message.what === "kind") return this.#mismatched(message.reason);
    this.#options.onError(new NetError(refusalCodes[message.what], message.reason));
  }

  /** Baselines are gone, after a change of kinds for example: until whole states come, nothing can be read. */
  #lost(reason: DropReason): void {
    this.#options.onDropped(reason);
    const nowMs = this.#options.scheduler.nowMs();
    if (reason === "outdated" || this.#cancelKinds || nowMs - this.#resyncAtMs < RETRY_PERIOD_MS) return;
    this.#resyncAtMs = nowMs;
    this.#trySend(writeAuthority({ type: "resync", ids: [] }));
  }

  #resync(ids: readonly number[]): void {
    if (ids.length > 0) this.#trySend(writeAuthority({ type: "resync", ids: ids.slice(0, MOST_RESYNCED) }));
  }

  #mismatched(name: string): void {
    const message = `the room has no "${name}", or describes it differently: load the same build of the game everywhere`;
    this.#options.onError(new NetError("schema/mismatch", message));
  }

  /** Whether states are of the kinds that are read here; those of others would be taken for something else. */
  get #isAgreed(): boolean {
    // The packet that brings states says first what the authority has received.
    if (this.#toldKinds !== undefined) return this.#options.session().isAcknowledged(this.#toldKinds);
    return this.entities.kinds.length === this.#options.info.kinds.length;
  }

  /** For what no call of the game asks for: undefined where the queue is full. */
  #trySend(payload: Uint8Array): number | undefined {
    try {
      return this.#send(payload);
    } catch (error) {
      if (error instanceof NetError) return undefined;
      throw error;
    }
  }

  #send(payload: Uint8Array, periodMs?: number): number {
    return this.#options.session().sendReliable(payload, periodMs);
  }
}

/** Only a packet about one entity may replace an older one about the same entity. */
function keyOf(records: readonly OwnedRecord[]): number {
  return records.length === 1 ? records[0]!.localId + 1 : 0;
}
