import {
  ConfigError,
  NetError,
  type EntityDefinition,
  type PeerInfo,
  type PeerPayload,
  type ServerMessage,
} from "@paceline/protocol";
import type { Welcome } from "../../connection/server-connection-options.js";
import type { Entity } from "../../entities/entity.js";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import type { RoomMode, RoomParts, SoleWriter } from "../room-mode.js";
import { Members } from "./members.js";
import type { Peer, PeerConnection } from "../../peers/peer.js";
import { SharedBulkRate } from "../../peers/bulk-rate.js";
import { StateSender } from "./state-sender.js";
import type { ReachedTick } from "../../time/game-time.js";

/** Players among themselves: each pair has a session, directly or through the relay, and each sends its own entities. */
export class MeshMode implements RoomMode {
  readonly server = undefined;
  readonly steps = undefined;
  readonly limits = {};
  readonly publishesSteps = true;
  readonly shownTick = 0;
  readonly isIdle = false;
  readonly #parts: RoomParts;
  readonly #members: Members;
  readonly #states: StateSender;
  readonly #bulkRate = new SharedBulkRate();

  /** @param welcome undefined before the server has said it: a mesh of nobody */
  constructor(parts: RoomParts, welcome?: Welcome) {
    this.#parts = parts;
    this.#members = this.#newMembers();
    this.#states = this.#newStates();
    if (!welcome) return;
    // After another join this participant still owns its entities.
    for (const record of parts.owned.records) this.spawned(record);
    for (const info of welcome.peers) this.joined(info);
  }

  #newMembers(): Members {
    const parts = this.#parts;
    return new Members({
      ...parts,
      uplink: () => parts.connection().uplink,
      peerOptions: () => ({
        sessionNumber: parts.sessionNumber(),
        bulkRate: this.#bulkRate,
        budget: parts.budget(),
        newLink: parts.newLink,
        loadDirectPath: parts.loadDirectPath,
        channel: parts.channel,
        iceServers: parts.iceServers,
        interpose: (link) => parts.transport().interpose(link),
        currentTick: () => parts.time.tick,
      }),
      onNeededDelay: parts.reviewDelay,
      onPayload: (from, payload) => this.#payload(from, payload),
      onPathChange: (peer, reason) => this.#pathChanged(peer, reason),
      sendSignal: ({ sessionNumber: to }, attempt, data) =>
        parts.connection().send({ type: "signal", to, attempt, data }),
      onAcknowledged: (peer, sequence) => this.#states.acknowledged(peer, sequence),
      onReset: (peer) => {
        this.#states.left(peer);
        this.#states.joined(peer, parts.time.tick);
      },
      onRemoved: (peer) => this.#states.left(peer),
      onDropped: (reason) => parts.drops.count(reason),
    });
  }

  #newStates(): StateSender {
    const parts = this.#parts;
    const { time, news, scheduler } = parts;
    return new StateSender({
      scheduler,
      loadColumns: parts.loadColumns,
      peers: () => this.pairs,
      uplink: () => parts.connection().uplink,
      idOf: (localId) => parts.sessionNumber() * 0x10000 + localId,
      plan: () => parts.transport().plan,
      tickHz: time.tickHz,
      horizonMs: () => this.#members.horizonMs,
      post: (payload) => this.#members.postStates(payload),
      onFault: ({ id }, { name }, fault) => news.faulted(name, id, fault),
      serverSession: () => (parts.connection().state === "joined" ? parts.connection().session : undefined),
    });
  }

  get peers(): readonly Peer[] {
    return [...this.pairs];
  }

  get pairs(): Iterable<PeerConnection> {
    return this.#members.peers();
  }

  /** The participant who has been in the room for longest. */
  soleWriter(): SoleWriter | undefined {
    const [first, ...rest] = this.pairs;
    if (!first) return undefined;
    const peer = rest.reduce((a, b) => (a.number < b.number ? a : b), first);
    return peer.number < this.#parts.myNumber() ? { peer, name: `player ${peer.number}` } : undefined;
  }

  get neededDelayMs(): number | undefined {
    return this.#members.neededDelayMs;
  }

  get unacknowledged(): number {
    return this.#members.unacknowledged;
  }

  begin(): void {
    // The pairs have begun with the welcome.
  }

  end(reason: string): void {
    this.#members.clear(reason);
  }

  joined(info: PeerInfo): void {
    const parts = this.#parts;
    const peer = info.number === parts.sessionNumber() ? undefined : this.#members.add(info);
    if (!peer) return;
    const { uplink } = parts.connection();
    if (uplink) peer.relayOver(uplink);
    this.#states.joined(peer, parts.time.tick);
    parts.news.joins.tell(peer);
  }

  left(number: number): void {
    this.#members.remove(number, "left");
  }

  away(number: number, closed: boolean): void {
    this.#members.away(number, closed);
  }

  back(number: number): void {
    this.#members.back(number);
  }

  learn(number: number, hasWebRtc: boolean): void {
    const peer = this.#members.peer(number);
    if (peer) peer.hasWebRtc = hasWebRtc;
  }

  signal(from: number, attempt: number, data: unknown): void {
    this.#members.peer(from)?.signal(attempt, data);
  }

  takeRetained(message: ServerMessage & { readonly type: "retained" }): void {
    this.#members.takeRetained(message);
  }

  /** Relayed traffic uses the new link to the server, and unacknowledged messages go again. */
  relayMoved(): void {
    this.#members.relayOver(this.#parts.connection().uplink);
  }

  relayLost(): void {
    this.#members.relayLost();
  }

  networkChanged(): void {
    this.#members.networkChanged();
  }

  planChanged(): void {
    this.#members.planChanged();
    this.#members.allowDirect(this.#parts.transport().directObstacle());
  }

  sample(): void {
    this.#members.sample();
  }

  use({ name }: EntityDefinition): void {
    this.#members.use(name);
  }

  entities(definition: EntityDefinition): Iterable<Entity> {
    return this.#members.entities(definition);
  }

  spawned(record: OwnedRecord): void {
    this.#states.spawned(record, this.#parts.time.tick);
  }

  despawned(record: OwnedRecord): void {
    this.#states.despawned(record, this.#parts.time.tick);
  }

  teleported(record: OwnedRecord): void {
    this.#states.teleported(record);
  }

  replicate({ tick, atMs: nowMs, share, sinceMs, isBetween }: ReachedTick): void {
    const { owned } = this.#parts;
    owned.sample(tick, { share, sinceMs });
    if (isBetween) this.#states.passed(tick);
    else this.#states.replicate(owned.records, { tick, nowMs });
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
    const receivers = this.#members.receivers(to);
    if (isBulk) this.#members.postBulk(payload, receivers);
    else this.#members.post(payload, receivers);
  }

  sendEvent(body: Uint8Array, to: Peer | undefined): void {
    const receivers = this.#members.receivers(to);
    if (to === undefined && receivers.length > 1) return this.#states.publications.addEvent(body);
    for (const { session } of receivers) session.sendEvent(body);
  }

  async request(type: string, message: unknown, to: Peer | undefined, timeoutMs: number): Promise<unknown> {
    if (!to) throw new ConfigError({ field: "to", value: to, expected: "a peer: the room has no authority" });
    const [peer] = this.#members.receivers(to);
    return await peer!.requests.start(timeoutMs, (id) => peer!.send({ kind: "request", id, type, message }));
  }

  flush(): void {
    this.#states.publications.flush();
    this.#members.flush();
  }

  receive(): boolean {
    return false;
  }

  receiveEvent(): boolean {
    return false;
  }

  receiveState(): void {
    this.#parts.drops.count("bad-message");
  }

  acknowledged(): void {
    // The server gets no states.
  }

  #payload(from: PeerConnection, payload: PeerPayload): void {
    const { messages, time, scheduler } = this.#parts;
    if (payload.kind === "command") messages.tell(payload.type, payload.message, from);
    else if (payload.kind === "request") {
      if (from.takeRequest()) messages.answer(from, payload, (reply) => from.reply(reply));
    } else if (payload.kind === "reply") from.requests.reply(payload.id, payload.ok, payload.message);
    else this.#states.answer(from, payload, { tick: time.tick, nowMs: scheduler.nowMs() });
  }

  #pathChanged(peer: PeerConnection, reason: string): void {
    const { transport, reviewServerPath } = this.#parts;
    transport().record({ about: `peer ${peer.number}`, choice: `${peer.path}: ${peer.channel}`, reason });
    // States for relayed peers go over WebRTC to the server if it offers that.
    reviewServerPath();
  }
}

function noAuthority(purpose: string): NetError {
  return new NetError("entity/refused", `the room has no authority that could ${purpose}`);
}
