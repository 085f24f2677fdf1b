import {
  ByteReader,
  ConfigError,
  NetError,
  type DropReason,
  type EntityDefinition,
  type PeerInfo,
  type PeerPayload,
  type ServerMessage,
  type ViewLimits,
  firstNumber,
  limits,
} from "@paceline/protocol";
import { AnswerBudget, assertEventBytes, hasDirectLinks, type Cancel } from "@paceline/transport";
import type { Entity } from "../../entities/entity.js";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import { PeerConnection, type PeerHandlers } from "../../peers/peer-connection.js";
import type { MessageLoss, Peer } from "../../peers/peer.js";
import type { PublishedTick } from "../../time/game-time.js";
import type { RoomMode, RoomParts, SendingCode, SoleWriter } from "../room-mode.js";
import { PairMessages, SharedBulkRate, boundUnfinished } from "./pair-messages.js";
import { RemoteEntities } from "./remote-entities.js";
import type { StateSender } from "./state-sender.js";

interface Member {
  readonly peer: PeerConnection;
  entities: RemoteEntities;
  /** The absence that the game knows of. */
  isAway: boolean;
  cancelHiding: Cancel | undefined;
}

const HIDDEN_AFTER_MS = 2000;
/** Samples of the traffic, one a second, for each ping to a relayed pair. */
const SAMPLES_PER_PING = 4;

/** Drops that no honest peer causes. A peer that keeps causing them is cut off. */
const malformed: ReadonlySet<DropReason> = new Set(["length", "out-of-range", "too-long"]);

/**
 * Mode of a room without an authority: each pair of players has a session, direct or through the relay, and
 * each player sends its own entities.
 */
export class MeshMode implements RoomMode {
  readonly server = undefined;
  readonly steps = undefined;
  readonly publishesSteps = true;
  readonly shownTick = 0;
  readonly isIdle = false;
  readonly isPrepared: Promise<void>;
  #prepared!: () => void;
  readonly #parts: RoomParts;
  readonly #members = new Map<number, Member>();
  readonly #messages: PairMessages;
  /** Undefined until its code is there: then own entities wait. */
  #states: StateSender | undefined;
  /** The kinds of own entities since the join. Each has a stream of its own. */
  readonly #ownKinds = new Set<EntityDefinition>();
  readonly #bulkRate = new SharedBulkRate();
  readonly #answers: AnswerBudget;
  #samples = 0;
  #isOver = false;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.isPrepared = new Promise((resolve) => (this.#prepared = resolve));
    const peers = (): PeerConnection[] => this.pairs;
    this.#messages = new PairMessages(parts, peers);
    this.#answers = new AnswerBudget(parts.scheduler);
    if (parts.sending.code) this.#startSending(parts.sending.code);
  }

  /** Fetches the code that sends own states. It would keep the states of others waiting, so they arrive first. */
  begin(): void {
    this.#parts.cells?.start();
    void this.isPrepared.then(() => this.#fetchWebRtc());
    if (this.#states) return;
    const { sending, scheduler } = this.#parts;
    const start = (code: SendingCode): void => {
      if (!this.#isOver && !this.#states) this.#startSending(code);
    };
    sending.openWhile(scheduler, () => !this.#isOver).then(start, () => undefined);
  }

  /** Sends the entities that this participant owns by now, also those from before another join. */
  #startSending({ StateSender: Sender }: SendingCode): void {
    this.#states = new Sender(this.#parts, this.#messages, () => this.pairs, this.#answers);
    for (const record of this.#parts.owned.records) this.spawned(record);
    this.#prepared();
  }

  /** Fetches WebRTC for the first offers of direct paths, which arrive two round trips after a join. */
  #fetchWebRtc(): void {
    const { transport, loadDirectPath } = this.#parts;
    if (!this.#isOver && hasDirectLinks(transport.plan)) loadDirectPath().catch(() => undefined);
  }

  get peers(): readonly Peer[] {
    return this.pairs;
  }

  get limits(): ViewLimits {
    const nowMs = this.#parts.scheduler.nowMs();
    // The relay replaces the states that wait for a relayed pair.
    const isHeld = this.pairs.some(({ path, session }) => path !== "relay" && session.isStateSlow(nowMs));
    return { ...this.#states?.shortage, isHeld };
  }

  get pairs(): PeerConnection[] {
    return Array.from(this.#members.values(), ({ peer }) => peer);
  }

  /**
   * Returns the participant whose page has been in the room longest, unless it is this one. A reloaded page has
   * lost the values, so it comes last, although its player keeps its number.
   */
  soleWriter(): SoleWriter | undefined {
    const pairs = [...this.pairs];
    const numbers = pairs.map(({ sessionNumber }) => sessionNumber);
    const first = firstNumber([this.#parts.facts.sessionNumber, ...numbers]);
    const peer = pairs.find(({ sessionNumber }) => sessionNumber === first);
    return peer && { peer, name: `player ${peer.number}` };
  }

  /** Render delay for all entities, ms: the longest that any peer needs. Undefined if none is measured. */
  get neededDelayMs(): number | undefined {
    let longestMs: number | undefined;
    for (const { entities } of this.#members.values()) {
      const { neededDelayMs } = entities.store;
      if (neededDelayMs !== undefined) longestMs = Math.max(longestMs ?? 0, neededDelayMs);
    }
    return longestMs;
  }

  get unacknowledged(): number {
    let sum = 0;
    for (const { loss } of this.pairs) sum += loss.unacknowledged;
    return sum;
  }

  end(reason: string): void {
    this.#isOver = true;
    this.#parts.cells?.stop();
    this.#prepared();
    for (const number of Array.from(this.#members.keys())) this.#remove(number, reason);
  }

  joined(info: PeerInfo): void {
    const parts = this.#parts;
    if (info.number === parts.facts.sessionNumber || this.#members.has(info.number)) return;
    const peer = this.#newPair(info);
    const uplink = parts.connection.uplink;
    if (uplink) peer.relayOver(uplink);
    this.#states?.joined(peer, parts.time.tick);
    parts.listeners.joins.emit(peer);
  }

  #newPair(info: PeerInfo): PeerConnection {
    const parts = this.#parts;
    const { number } = info;
    const handlers: PeerHandlers = {
      onPayload: (payload) => this.#payload(member, payload),
      onState: (body, tick) => {
        const drop = (reason: DropReason): void => this.#drop(peer, reason);
        peer.meter.countUpdatesIn(member.entities.receive(body, tick, drop));
        parts.reviewDelay();
      },
      onAcknowledged: (sequence) => this.#states?.acknowledged(peer, sequence),
      onBulkPart: () => boundUnfinished(peer, this.pairs, parts.drops),
      onPathChange: (reason) => this.#pathChanged(member, reason),
      onReset: (loss) => this.#reset(member, loss),
      onEnded: () => this.#remove(number, "ended by the peer"),
      sendSignal: (attempt, data) => parts.connection.send({ type: "signal", to: number, attempt, data }),
    };
    const peer = new PeerConnection({
      parts,
      info,
      bulkRate: this.#bulkRate,
      answers: this.#answers,
      handlers,
    });
    const isAway = peer.state === "away";
    const member: Member = {
      peer,
      entities: new RemoteEntities(this.#parts, peer),
      isAway,
      cancelHiding: undefined,
    };
    this.#members.set(number, member);
    parts.router.add(number, peer);
    // Hides a player that was already away when this participant joined.
    if (isAway) member.entities.store.setHidden(true);
    return peer;
  }

  left(number: number): void {
    this.#remove(number, "left");
  }

  #remove(number: number, reason: string): void {
    const member = this.#members.get(number);
    if (!member) return;
    const { router, listeners } = this.#parts;
    this.#members.delete(number);
    router.remove(number);
    member.cancelHiding?.();
    member.entities.store.clear();
    member.peer.end(reason);
    this.#states?.left(member.peer);
    listeners.leaves.emit(member.peer, member.peer.loss);
  }

  away(number: number, closed: boolean): void {
    const member = this.#members.get(number);
    member?.peer.setAbsence(closed ? "closed" : "unlinked");
    if (member) this.#reviewAbsence(member);
  }

  back(number: number): void {
    const member = this.#members.get(number);
    member?.peer.returned();
    member?.peer.setAbsence(undefined);
    if (member) this.#reviewAbsence(member);
  }

  #reviewAbsence(member: Member): void {
    const { scheduler, listeners } = this.#parts;
    const { peer } = member;
    const isAway = peer.state === "away";
    if (!this.#isHere(member) || member.isAway === isAway) return;
    member.isAway = isAway;
    member.cancelHiding?.();
    const hide = (): void => member.entities.store.setHidden(true);
    member.cancelHiding = isAway ? scheduler.after(HIDDEN_AFTER_MS, hide) : undefined;
    (isAway ? listeners.absences : listeners.returns).emit(peer);
    if (!isAway) member.entities.store.setHidden(false);
  }

  #isHere(member: Member): boolean {
    return this.#members.get(member.peer.sessionNumber) === member;
  }

  learn(number: number, hasWebRtc: boolean): void {
    const peer = this.#members.get(number)?.peer;
    if (peer) peer.hasWebRtc = hasWebRtc;
  }

  signal(from: number, attempt: number, data: unknown): void {
    this.#members.get(from)?.peer.signal(attempt, data);
  }

  takeSlot({ number, state, ageMs }: ServerMessage & { readonly type: "slot" }): void {
    const member = this.#members.get(number);
    if (member) this.#drop(member.peer, member.entities.takeSlot(state, ageMs));
  }

  /** Moves relayed traffic to the new link to the server, and sends unacknowledged messages again. */
  relayMoved(): void {
    const uplink = this.#parts.connection.uplink;
    if (uplink) for (const peer of this.pairs) peer.relayOver(uplink);
    this.#parts.cells?.moved();
  }

  relayLost(): void {
    this.#parts.cells?.lost();
    for (const peer of this.pairs) peer.relayLost();
  }

  /** Tries failed direct paths again, which may work on another network. */
  networkChanged(): void {
    for (const peer of this.pairs) peer.networkChanged();
  }

  planChanged(): void {
    const transport = this.#parts.transport;
    const obstacle = transport.directObstacle();
    for (const { peer, entities } of this.#members.values()) {
      entities.store.planChanged();
      peer.allowDirect(
        obstacle ?? (peer.hasWebRtc ? undefined : "the peer has no WebRTC, or does not want it"),
      );
    }
  }

  /**
   * Measures the traffic of all pairs, once a second, and every fourth second the round trip of one relayed
   * pair in turn. It costs the relay as much as two events: all that leave and arrive, one by one.
   */
  sample(): void {
    for (const peer of this.pairs) peer.sample(this.#parts.scheduler.nowMs());
    const turn = ++this.#samples / SAMPLES_PER_PING;
    if (!Number.isInteger(turn)) return;
    const relayed = this.pairs.filter(({ path, state }) => path === "relay" && state === "connected");
    relayed[turn % relayed.length]?.session.ping();
  }

  /** Starts to use a kind: entities of it that peers have already spawned appear. */
  use({ name }: EntityDefinition): void {
    for (const { entities } of this.#members.values()) entities.defined(name);
  }

  *entities(definition: EntityDefinition): Iterable<Entity> {
    for (const { entities } of this.#members.values()) yield* entities.store.ofKind(definition);
  }

  /** Clears the peer's entities after a reset. The peer announces them again. */
  #reset(member: Member, loss: MessageLoss): void {
    if (!this.#isHere(member)) return;
    const { time, listeners } = this.#parts;
    const { peer } = member;
    member.entities.store.clear();
    member.entities = new RemoteEntities(this.#parts, peer);
    if (member.isAway) member.entities.store.setHidden(true);
    this.#states?.left(peer);
    this.#states?.joined(peer, time.tick);
    listeners.resets.emit(peer, loss);
  }

  spawned(record: OwnedRecord): void {
    if (this.#ownKinds.size >= limits.streams && !this.#ownKinds.has(record.definition)) {
      throw new NetError("limit/entities", `a participant may have entities of ${limits.streams} kinds`);
    }
    this.#ownKinds.add(record.definition);
    this.#states?.spawned(record, this.#parts.time.tick);
  }

  despawned(record: OwnedRecord): void {
    this.#states?.despawned(record, this.#parts.time.tick);
  }

  teleported(record: OwnedRecord): void {
    this.#states?.teleported(record);
  }

  replicate({ tick, atMs: nowMs, share, sinceMs, isBetween }: PublishedTick): void {
    const { owned } = this.#parts;
    owned.sample(tick, { share, sinceMs });
    if (isBetween) this.#states?.recordStates(tick);
    else this.#states?.replicate(owned.records, { tick, nowMs });
  }

  input(): never {
    throw noAuthority("take inputs");
  }

  predict(): never {
    throw noAuthority("be predicted");
  }

  play(): boolean {
    return false;
  }

  post(payload: PeerPayload, to: Peer | undefined, isBulk: boolean): void {
    const receivers = this.#receivers(to);
    if (isBulk) this.#messages.postBulk(payload, receivers);
    else this.#messages.post(payload, receivers);
  }

  sendEvent(body: Uint8Array, to: Peer | undefined): void {
    const receivers = this.#receivers(to);
    assertEventBytes(body.length);
    if (this.#states && to === undefined && receivers.length > 1)
      return this.#states.publications.addEvent(body);
    for (const { session } of receivers) session.sendEvent(body);
  }

  async request(type: string, message: unknown, to: Peer | undefined, timeoutMs: number): Promise<unknown> {
    if (!to) throw new ConfigError("to", to, "a peer: the room has no authority");
    const [peer] = this.#receivers(to);
    return await peer!.requests.start(timeoutMs, (id) => peer!.send({ kind: "request", id, type, message }));
  }

  /** Returns one peer, or all. Throws {@link NetError} for a peer that has left the room. */
  #receivers(to: Peer | undefined): PeerConnection[] {
    if (!to) return this.pairs;
    const peer = this.pairs.find(({ id }) => id === to.id);
    if (peer) return [peer];
    throw new NetError("transport/closed", "that peer is not in the room");
  }

  flush(): void {
    this.#states?.publications.flush();
    this.#messages.flush();
  }

  receiveState(): void {
    this.#parts.drops.count("bad-message");
  }

  #payload({ peer: from, entities }: Member, payload: PeerPayload): void {
    const { messages, time, scheduler } = this.#parts;
    const answer = (): void =>
      this.#states?.answer(from, payload, { tick: time.tick, nowMs: scheduler.nowMs() });
    switch (payload.kind) {
      case "stream":
        return this.#drop(from, entities.announce(payload));
      case "reference":
        from.session.observeTick(new ByteReader(payload.states).u32());
        return this.#drop(from, entities.takeReference(payload.stream, payload.states));
      case "columns":
        if (payload.columns.length === 0) return answer();
        return this.#drop(from, entities.describe(payload.stream, payload.columns));
      case "resync":
        return answer();
      case "changes":
        if (payload.changes.length === 0) return answer();
        return this.#drop(from, entities.takeChanges(payload.stream, payload.changes));
      case "command":
        return messages.deliver(payload.type, payload.message, from);
      case "request":
        if (from.takeRequest()) messages.answer(from, payload, (reply) => from.reply(reply));
        return;
      case "reply":
        return from.requests.reply(payload.id, payload.ok, payload.message);
    }
  }

  /** Late or unknown data may come from an honest peer; malformed data may not. */
  #drop(from: PeerConnection, reason: DropReason | undefined): void {
    if (reason === undefined) return;
    this.#parts.drops.count(reason);
    if (malformed.has(reason)) from.session.reportViolation(reason);
  }

  #pathChanged(member: Member, reason: string): void {
    const { transport, reviewServerPath } = this.#parts;
    const { number, path, channel } = member.peer;
    transport.record({ about: `peer ${number}`, choice: `${path}: ${channel}`, reason });
    // States for relayed peers go over WebRTC to the server if it offers that.
    reviewServerPath();
    this.#reviewAbsence(member);
  }
}

function noAuthority(purpose: string): NetError {
  return new NetError("entity/refused", `the room has no authority that could ${purpose}`);
}
