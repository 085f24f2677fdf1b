import {
  ByteReader,
  NetError,
  limits,
  writePeerPayload,
  type DropReason,
  type EntityDefinition,
  type PeerInfo,
  type PeerPayload,
  type ServerMessage,
} from "@paceline/protocol";
import {
  Broadcast,
  type BroadcastReceiver,
  type Cancel,
  type ChannelPolicyOf,
  type Scheduler,
  type Uplink,
} from "@paceline/transport";
import type { Entity } from "../../entities/entity.js";
import { PeerConnection, type MessageLoss, type Peer, type PeerOptions } from "../../peers/peer.js";
import type { LoadColumns } from "../room-mode.js";
import type { RoomNews } from "../room-news.js";
import type { Router } from "../../peers/router.js";
import { RemoteEntities } from "./remote-entities.js";
import type { ViewPlan } from "../../plan/view-plan.js";

/** Another participant with all that is known of it. */
interface Member {
  readonly peer: PeerConnection;
  entities: RemoteEntities;
  /** The state that the game heard last. */
  isAway: boolean;
  cancelHiding: Cancel | undefined;
}

export interface MembersOptions {
  readonly scheduler: Scheduler;
  /** Brings what comes through the server to the pairs. */
  readonly router: Router;
  /** Options of a new pair that this class does not set. */
  peerOptions(info: PeerInfo): Omit<PeerOptions, "handlers" | "info" | "scheduler">;
  readonly view: ViewPlan;
  readonly loadColumns: LoadColumns;
  readonly news: RoomNews;
  /** The plan's policy of a class of traffic. */
  readonly channel: ChannelPolicyOf;
  /** The way to the relay; undefined while there is none. */
  uplink(): Uplink | undefined;
  /** {@link Members.neededDelayMs} may have changed. */
  onNeededDelay(): void;
  /** A message of the game, or one that only the room understands. */
  onPayload(peer: PeerConnection, payload: PeerPayload): void;
  onPathChange(peer: PeerConnection, reason: string): void;
  sendSignal(peer: PeerConnection, attempt: number, data: unknown): void;
  /** States in a packet of that sequence have arrived at the peer. */
  onAcknowledged(peer: PeerConnection, sequence: number): void;
  /** The pair begins again, with nothing that was said. */
  onReset(peer: PeerConnection): void;
  /** The pair has ended. */
  onRemoved(peer: PeerConnection): void;
  onDropped(reason: DropReason): void;
}

/** Entities of a peer that is away so long are not shown any more. */
const HIDDEN_AFTER_MS = 2000;
/** A frame on average until an update is shown, and the step of the simulation in which it is noticed. */
const SHOWN_AFTER_MS = 14;
/** No model knows what is farther ahead. */
const MAX_HORIZON_MS = 250;

/** Drops that no honest peer causes: who keeps sending such is cut off. */
const malformed: ReadonlySet<DropReason> = new Set(["length", "out-of-range", "too-long"]);

/** The others in the room: their pairs, their entities, and the kinds of entities that the game uses. */
export class Members {
  readonly #options: MembersOptions;
  readonly #broadcast: Broadcast;
  #pinged = 0;
  readonly #members = new Map<number, Member>();

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#broadcast = new Broadcast(options);
  }

  *peers(): Iterable<PeerConnection> {
    for (const { peer } of this.#members.values()) yield peer;
  }

  peer(number: number): PeerConnection | undefined {
    return this.#members.get(number)?.peer;
  }

  *entities(definition: EntityDefinition): Iterable<Entity> {
    for (const { entities } of this.#members.values()) yield* entities.entities(definition);
  }

  /** One of them, or all. Throws {@link NetError} for one who is not here any more. */
  receivers(to: Peer | undefined): PeerConnection[] {
    if (!to) return [...this.peers()];
    for (const peer of this.peers()) if (peer.id === to.id) return [peer];
    throw new NetError("transport/closed", "that peer is not in the room");
  }

  /**
   * Sends a reliable message of the game to all of them, or to none: throws {@link NetError} `limit/queue` where one has
   * too much without receipt already. A pair for which that goes on for long begins again.
   */
  post(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    const isFull = ({ session }: PeerConnection): boolean =>
      !session.isClosed && !session.hasRoomFor(bytes, limits.pairQueueBytes);
    for (const peer of receivers) if (peer.isUnproven && isFull(peer)) peer.giveUp("still takes nothing");
    const open = receivers.filter(({ session }) => !session.isClosed);
    const full = open.filter(isFull);
    for (const peer of full) peer.refuse();
    const peers = full.map(({ number }) => number);
    if (peers.length > 0) {
      const message = `too much waits for a receipt of peer ${peers.join(", ")}`;
      throw new NetError("limit/queue", message, { retryable: true, peers });
    }
    this.#send(bytes, open);
  }

  /** One body for all who are reached through the relay, where they are several. */
  #send(payload: Uint8Array, peers: readonly PeerConnection[]): void {
    const receivers: BroadcastReceiver[] = [];
    const alone: PeerConnection[] = [];
    for (const peer of peers) {
      const receiver = peer.broadcastReceiver;
      if (receiver) receivers.push(receiver);
      else alone.push(peer);
    }
    if (receivers.length > 1) this.#broadcast.add(payload, receivers);
    else for (const { session } of receivers) session.sendReliable(payload);
    for (const { session } of alone) session.sendReliable(payload);
  }

  /** Sends at once what waits for others to share its packet. */
  flush(): void {
    this.#broadcast.flush();
    for (const { session } of this.peers()) session.flush();
  }

  /**
   * Sends to all what keeps their view of own entities whole. It may take the rest of the session's limit; a pair that has
   * no room even so begins again, and is told of everything then.
   */
  postStates(payload: PeerPayload): void {
    const bytes = writePeerPayload(payload);
    for (const peer of [...this.peers()]) {
      if (!peer.session.hasRoomFor(bytes, limits.sessionQueueBytes))
        peer.giveUp("takes nothing that is sent to it");
    }
    this.#send(
      bytes,
      [...this.peers()].filter(({ session }) => !session.isClosed),
    );
  }

  /** Sends a bulk message to all of them, or to none if it is too much for one. */
  postBulk(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    const open = receivers.filter(({ session }) => !session.isClosed);
    for (const peer of open) {
      try {
        peer.session.checkBulk(bytes);
      } catch (error) {
        if (error instanceof NetError) peer.refuseBulk();
        throw error;
      }
    }
    for (const { session } of open) session.sendBulk(bytes);
  }

  /** The path through the server is there (again): what is relayed goes over it. */
  relayOver(uplink: Uplink | undefined): void {
    if (uplink) for (const peer of this.peers()) peer.relayOver(uplink);
  }

  relayLost(): void {
    for (const peer of this.peers()) peer.relayLost();
  }

  /** Allows direct links, or says why there will be none. */
  allowDirect(obstacle: string | undefined): void {
    for (const peer of this.peers()) {
      peer.allowDirect(
        obstacle ?? (peer.hasWebRtc ? undefined : "the peer has no WebRTC, or does not want it"),
      );
    }
  }

  /** A failed attempt may succeed on another network. */
  networkChanged(): void {
    for (const peer of this.peers()) peer.networkChanged();
  }

  /** Measures what the links to all have carried, once a second, and the way through the relay to one of them in turn. */
  sample(): void {
    for (const peer of this.peers()) peer.sample(this.#options.scheduler.nowMs());
    const relayed = [...this.peers()].filter(({ path, state }) => path === "relay" && state === "connected");
    this.#pinged += 1;
    relayed[this.#pinged % relayed.length]?.session.ping();
  }

  /**
   * Delay until receivers show an update, ms. An update goes to all, so the median of their round trips counts: one
   * peer that delays its answers does not change what the others get. Of two in the middle it is the shorter.
   */
  get horizonMs(): number {
    const rttsMs = Array.from(this.peers(), ({ rttMs }) => rttMs ?? Number.NaN).filter((rttMs) => rttMs >= 0);
    const medianMs = rttsMs.sort((a, b) => a - b)[(rttsMs.length - 1) >> 1] ?? 0;
    return Math.min(medianMs / 2 + SHOWN_AFTER_MS, MAX_HORIZON_MS);
  }

  /** The game uses a kind: entities of it that peers have already spawned appear. */
  use(name: string): void {
    for (const { entities } of this.#members.values()) entities.defined(name);
  }

  /** Begins a pair; undefined where that participant is known already. The caller tells the game of it when the pair is ready. */
  add(info: PeerInfo): PeerConnection | undefined {
    if (this.#members.has(info.number)) return undefined;
    const options = this.#options;
    const drop = (reason: DropReason): void => this.#drop(peer, reason);
    const peer: PeerConnection = new PeerConnection({
      ...options.peerOptions(info),
      info,
      scheduler: options.scheduler,
      handlers: {
        onPayload: (from, payload) => this.#payload(from, payload),
        onState: (body, tick) => {
          peer.meter.countUpdatesIn(member.entities.receive(body, tick, drop));
          options.onNeededDelay();
        },
        onAcknowledged: (by, sequence) => options.onAcknowledged(by, sequence),
        onPathChange: (of, reason) => {
          options.onPathChange(of, reason);
          this.#reviewAbsence(of);
        },
        onReset: (of, loss) => this.#reset(of, loss),
        onEnded: (of) => this.remove(of.sessionNumber, "ended by the peer"),
        sendSignal: (to, attempt, data) => options.sendSignal(to, attempt, data),
      },
    });
    const entities = this.#entitiesOf(peer);
    const member: Member = { peer, entities, isAway: peer.state === "away", cancelHiding: undefined };
    this.#members.set(info.number, member);
    options.router.add(info.number, peer);
    // A player that was away already when this participant joined is not shown.
    if (member.isAway) entities.setHidden(true);
    return peer;
  }

  /** The server has lost its link to a peer; `closed`: the peer's page was closed, or sleeps. */
  away(number: number, closed: boolean): void {
    const peer = this.peer(number);
    peer?.setAbsence(closed ? "closed" : "unlinked");
    if (peer) this.#reviewAbsence(peer);
  }

  /** The server has a link to a peer again. */
  back(number: number): void {
    const peer = this.peer(number);
    peer?.returned();
    peer?.setAbsence(undefined);
    if (peer) this.#reviewAbsence(peer);
  }

  #reviewAbsence(peer: PeerConnection): void {
    const options = this.#options;
    const member = this.#members.get(peer.sessionNumber);
    const isAway = peer.state === "away";
    if (member?.peer !== peer || member.isAway === isAway) return;
    member.isAway = isAway;
    member.cancelHiding?.();
    const hide = (): void => member.entities.setHidden(true);
    member.cancelHiding = isAway ? options.scheduler.after(HIDDEN_AFTER_MS, hide) : undefined;
    (isAway ? options.news.absences : options.news.returns).tell(peer);
    if (!isAway) member.entities.setHidden(false);
  }

  #entitiesOf(peer: PeerConnection): RemoteEntities {
    const options = this.#options;
    const { news } = options;
    return new RemoteEntities({
      owner: peer,
      sessionNumber: peer.sessionNumber,
      clock: options.scheduler,
      definitionNamed: (name) => news.definitionNamed(name),
      view: options.view,
      loadColumns: options.loadColumns,
      onSpawn: (entity) => news.entities.spawned(entity),
      onDespawn: (entity) => news.entities.despawned(entity),
      onMismatch: (name, differences) => news.differs(name, `peer ${peer.number}`, differences),
      send: (payload) => peer.sendWhereRoom(payload),
      onDropped: (reason) => options.onDropped(reason),
      onFault: ({ id }, { name }, fault) => news.faulted(name, id, fault),
    });
  }

  /** The peer has no entities until it tells of them again. */
  #reset(peer: PeerConnection, loss: MessageLoss): void {
    const member = this.#members.get(peer.sessionNumber);
    if (!member) return;
    member.entities.clear();
    member.entities = this.#entitiesOf(peer);
    if (member.isAway) member.entities.setHidden(true);
    this.#options.onReset(peer);
    this.#options.news.resets.tell(peer, loss);
  }

  planChanged(): void {
    for (const { entities } of this.#members.values()) entities.planChanged();
  }

  /** Ends a pair, if there is one of that number. */
  remove(number: number, reason: string): void {
    const member = this.#members.get(number);
    if (!member) return;
    this.#members.delete(number);
    this.#options.router.remove(number);
    member.cancelHiding?.();
    member.entities.clear();
    member.peer.end(reason);
    this.#options.onRemoved(member.peer);
    this.#options.news.leaves.tell(member.peer, member.peer.loss);
  }

  /** Messages of all pairs without a receipt. */
  get unacknowledged(): number {
    let sum = 0;
    for (const { loss } of this.peers()) sum += loss.unacknowledged;
    return sum;
  }

  clear(reason: string): void {
    for (const number of Array.from(this.#members.keys())) this.remove(number, reason);
  }

  #payload(from: PeerConnection, payload: PeerPayload): void {
    const entities = this.#members.get(from.sessionNumber)?.entities;
    switch (payload.kind) {
      case "stream":
        return this.#drop(from, entities?.announce(payload));
      case "reference":
        from.session.heardTick(new ByteReader(payload.states).u32());
        return this.#drop(from, entities?.takeReference(payload.stream, payload.states));
      case "columns":
        if (payload.columns.length === 0) return this.#options.onPayload(from, payload);
        return this.#drop(from, entities?.describe(payload.stream, payload.columns));
      case "present":
        return this.#drop(from, entities?.present(payload.stream));
      default:
        this.#options.onPayload(from, payload);
    }
  }

  /** The server had kept it for newcomers. */
  takeRetained({ number, states, ageMs }: ServerMessage & { readonly type: "retained" }): void {
    const member = this.#members.get(number);
    if (member) this.#drop(member.peer, member.entities.takeRetained(states, ageMs));
  }

  /** All are shown with one delay, ms: that of the peer who needs the longest; undefined without any. */
  get neededDelayMs(): number | undefined {
    let longestMs: number | undefined;
    for (const { entities } of this.#members.values()) {
      const { neededDelayMs } = entities;
      if (neededDelayMs !== undefined) longestMs = Math.max(longestMs ?? 0, neededDelayMs);
    }
    return longestMs;
  }

  /** Late or unknown data may come from an honest peer; malformed data may not. */
  #drop(from: PeerConnection, reason: DropReason | undefined): void {
    if (reason === undefined) return;
    this.#options.onDropped(reason);
    if (malformed.has(reason)) from.session.reportViolation(reason);
  }
}
