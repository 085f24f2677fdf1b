import {
  CloseCode,
  writeControl,
  type PeerInfo,
  type RoomListing,
  type RoomOptions,
  type ServerMessage,
  type MatchRefusal,
} from "@paceline/protocol";
import { TokenBucket, type Clock, type Scheduler } from "@paceline/transport";
import type { Faults } from "../ops/faults.js";
import type { RelayCounters } from "../ops/relay-counters.js";
import type { OpenMatch, RoomCallbacks } from "./authority.js";
import type { Participant } from "./participant.js";
import { PeerNumbers } from "./peer-numbers.js";
import { limitTable, type RelayLimits } from "../limits/relay-limits.js";
import type { ForwardRates, ForwardShare, RoomForwards } from "../limits/forward-rates.js";
import { BucketShare } from "../limits/bucket-share.js";

/** The relay's options after the checks, as far as rooms and sessions use them. */
export interface SessionSettings {
  readonly limits: RelayLimits;
  readonly forwards: ForwardRates;
  readonly counters: RelayCounters;
  readonly faults: Faults;
  readonly scheduler: Scheduler;
}

/** The parts of a new room. */
export type RoomDescription = Pick<
  Room,
  "id" | "name" | "optionsKey" | "build" | "maxPlayers" | "code" | "openedBy" | "openMatch"
> & {
  /** The number that an earlier process gave out last, if this room goes on from there. */
  readonly lastNumber?: number;
  readonly settings: SessionSettings;
  /** Called when the room has ended and all participants have left. Seats may still be reserved. */
  readonly onEnd: (room: Room) => void;
  /** Called when the room is not kept any more, and so closes if it is empty. */
  readonly onFreed: (room: Room) => void;
};

/** Message without the error, since a stranger must not see it. The log has it. */
export const ROOM_FAILED = "the room failed; the server's log has the error";

/** Smallest burst of a session's share: the longest packet must fit, however large the room is. */
const MAX_PACKET_BYTES = limitTable.byteBurst.min;

/** In a larger room the news of newcomers waits for nothing. */
const MAX_WAITING_NEWS = 256;
/** Part of a room's forwards for the news of who has joined and left. */
const NEWS_SHARE = 0.25;
/** All places of a room of so many may be taken at once, and those of a larger one with an authority one by one. */
const MIN_NEWS_PLACES = 64;

/**
 * In a room with an authority, the news that a player has left waits this long for more such news, ms. The
 * authority removes the player's entities itself, and each packet costs an ack.
 */
const LEFT_PERIOD_MS = 100;

/** Participants who see each other, and seats that are reserved for players who come soon. */
export class Room {
  readonly id: string;
  readonly name: string;
  /** The options that separate this room from others of its name, in canonical form. */
  readonly optionsKey: string;
  /** Build of the game that all participants have; empty if they name none, or if builds mix. */
  readonly build: string;
  /** Short code that players pass on to friends. It leads into the room even if the room is private. */
  readonly code: string;
  /** Network address of the player who opened the room; empty if the server opened it. */
  readonly openedBy: string;
  readonly openMatch: OpenMatch;
  maxPlayers: number;
  /** Places for spectators, besides `maxPlayers`. */
  maxSpectators = 0;
  /** Number of places kept for absent members of groups. */
  kept = 0;
  /** True: the room admits no more players. */
  isLocked = false;
  /** True: the room is found only by its id or its code. */
  isPrivate = false;
  #isKept = false;
  /** True after {@link end}: nobody takes a seat any more. */
  isEnded = false;
  /** True: an earlier process has opened the room. Its seats may be those of an earlier build of the game. */
  readonly isRestored: boolean;
  /** The room's metadata in room lists. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** The authority; undefined in a mesh. */
  host: RoomCallbacks | undefined;
  /** Resolves when the host is there, or with the reason for a refusal; undefined in a mesh. */
  opening: Promise<MatchRefusal | undefined> | undefined;
  /** Rates that all sessions of the room share. */
  readonly #ingress: TokenBucket;
  readonly #egress: TokenBucket;
  readonly #forwards: RoomForwards;
  readonly #joins: TokenBucket;
  /** Messages about newcomers, counted for each receiver. */
  readonly #news: TokenBucket;
  readonly #participants = new Map<number, Participant>();
  readonly #options: readonly (readonly [string, unknown])[];
  readonly #onEnd: (room: Room) => void;
  readonly #onFreed: (room: Room) => void;
  readonly #faults: Faults;
  /** Reserved seats by session id; true for a spectator's. */
  readonly #seats = new Map<string, boolean>();
  /** Reserved seats that replace a present participant, whose page reloads. */
  readonly #successors = new Set<string>();
  readonly #spectators = new Set<Participant | string>();
  /** Bots that the members know of, by number. */
  readonly #bots = new Map<number, PeerInfo>();
  readonly #numbers: PeerNumbers;
  readonly #clock: Clock;

  constructor(description: RoomDescription) {
    this.id = description.id;
    this.name = description.name;
    this.optionsKey = description.optionsKey;
    this.build = description.build;
    this.maxPlayers = description.maxPlayers;
    this.code = description.code;
    this.openedBy = description.openedBy;
    this.#options = JSON.parse(description.optionsKey) as [string, unknown][];
    this.#onEnd = description.onEnd;
    this.#onFreed = description.onFreed;
    this.openMatch = description.openMatch;
    this.#faults = description.settings.faults;
    const { limits, scheduler } = description.settings;
    const nowMs = scheduler.nowMs();
    this.#clock = scheduler;
    const { lastNumber } = description;
    this.#numbers = new PeerNumbers(Math.max(limits.linkTimeoutMs, limits.hiddenTimeoutMs), lastNumber);
    this.isRestored = lastNumber !== undefined;
    // At least a session's own limits: alone in a room it is never held back.
    const bytesPerSecond = Math.max(limits.bytesPerSecondPerRoom, limits.bytesPerSecond);
    const byteBurst = Math.max(limits.byteBurstPerRoom, limits.byteBurst);
    this.#ingress = new TokenBucket(bytesPerSecond, byteBurst, nowMs);
    this.#egress = new TokenBucket(limits.egressBytesPerSecondPerRoom, limits.egressBurstPerRoom, nowMs);
    this.#forwards = description.settings.forwards.room(nowMs);
    this.#joins = new TokenBucket(limits.joinsPerSecondPerRoom, limits.joinBurstPerRoom, nowMs);
    const newsPerSecond = limits.forwardsPerSecondPerRoom * NEWS_SHARE;
    const places = Math.max(MIN_NEWS_PLACES, description.maxPlayers);
    this.#news = new TokenBucket(newsPerSecond, Math.max(newsPerSecond, places ** 2), nowMs);
  }

  /**
   * Returns a newcomer's shares of the room's rates: `ingress` for the bytes that it sends, `egress` for the bytes
   * that the relay forwards, `forwards` for their packets.
   */
  shares(nowMs: number): {
    readonly ingress: BucketShare;
    readonly egress: BucketShare;
    readonly forwards: ForwardShare;
  } {
    const places = this.maxPlayers + this.maxSpectators;
    const share = (bucket: TokenBucket): BucketShare => {
      const burst = Math.max(bucket.burst / places, MAX_PACKET_BYTES);
      return new BucketShare(new TokenBucket(bucket.perSecond / places, burst, nowMs), bucket);
    };
    const forwards = this.#forwards.share(places, nowMs);
    return { ingress: share(this.#ingress), egress: share(this.#egress), forwards };
  }

  /** True: the room stays when the last participant has left. */
  get isKept(): boolean {
    return this.#isKept;
  }

  set isKept(isKept: boolean) {
    this.#isKept = isKept;
    if (!isKept) this.#onFreed(this);
  }

  /** Participants in the order of their arrival. */
  get participants(): Iterable<Participant> {
    return this.#participants.values();
  }

  get size(): number {
    return this.#participants.size;
  }

  /** The number that was given to a participant last. */
  get lastNumber(): number {
    return this.#numbers.last;
  }

  /** Number of players, reserved seats and places kept for groups. */
  get taken(): number {
    return this.#participants.size + this.#seats.size - this.#spectators.size + this.kept;
  }

  /** Number of spectators, including reserved seats. */
  get spectatorCount(): number {
    return this.#spectators.size;
  }

  get isEmpty(): boolean {
    return this.#participants.size + this.#seats.size + this.#successors.size + this.kept === 0;
  }

  /** True if a player who looks for any room of this kind may join this one. */
  get isOpen(): boolean {
    return !this.isPrivate && this.admits(false);
  }

  /** Returns false if there are not so many free numbers, because very many participants have just left. */
  hasNumbers(count: number): boolean {
    const promised = this.#seats.size + this.#successors.size + this.kept;
    return promised + count <= this.#numbers.free(this.#clock.nowMs());
  }

  /** Returns true if a spectator, or this many players, may join. A locked room still admits spectators. */
  admits(isSpectator: boolean, players = 1): boolean {
    if (!this.hasNumbers(players)) return false;
    if (isSpectator) return this.spectatorCount < this.maxSpectators;
    return !this.isLocked && this.taken + players <= this.maxPlayers;
  }

  /**
   * Returns true if the player's seat exceeds the room's places, which the host may lower while the room
   * opens.
   */
  exceedsCapacity(sessionId: string): boolean {
    let before = this.taken - this.kept;
    let isFound = false;
    // Excludes the seats after this one: the newest seats are given up first.
    for (const [seat, isSpectator] of this.#seats) {
      if (isFound && !isSpectator) before -= 1;
      isFound ||= seat === sessionId;
    }
    return isFound && this.#seats.get(sessionId) === false && before > this.maxPlayers;
  }

  get listing(): RoomListing {
    const { id: roomId, name: roomName, metadata } = this;
    const { taken: players, maxPlayers, spectatorCount: spectators, separatingOptions: options } = this;
    return { roomId, roomName, players, maxPlayers, spectators, metadata, options };
  }

  /** The options that separate this room from others of its name. All others concern only the player who gave them. */
  get separatingOptions(): RoomOptions {
    return Object.fromEntries(this.#options) as RoomOptions;
  }

  /** Returns true if the option of this name, or else the metadata, has this value. */
  hasValue(key: string, value: unknown): boolean {
    const option = this.#options.find(([name]) => name === key);
    return (option ? option[1] : this.metadata[key]) === value;
  }

  /** Ends every session with this code, then the room. */
  end(code: number, reason: string): void {
    this.isLocked = true;
    this.isEnded = true;
    this.#isKept = false;
    for (const participant of [...this.#participants.values()]) participant.end(code, reason);
    this.#onEnd(this);
  }

  /** Calls the room's authority. If it throws, this room ends; other rooms go on. */
  callHost(call: (host: RoomCallbacks) => void): void {
    const { host } = this;
    if (!host || this.#faults.contain("room", () => call(host), { roomId: this.id })) return;
    this.end(CloseCode.roomClosed, ROOM_FAILED);
  }

  participant(number: number): Participant | undefined {
    return this.#participants.get(number);
  }

  /** Returns true if the rates of the room allow one more newcomer. */
  admitJoin(nowMs: number): boolean {
    if (this.#joins.waitMs(1, nowMs) > 0 || !this.admitNews(nowMs)) return false;
    return this.#joins.take(1, nowMs);
  }

  /** Returns true if all members may get the news of one more newcomer, and of its end. */
  admitNews(nowMs: number): boolean {
    return this.#news.take(2 * this.size, nowMs);
  }

  reserve(sessionId: string, isSpectator: boolean): void {
    this.#seats.set(sessionId, isSpectator);
    if (isSpectator) this.#spectators.add(sessionId);
  }

  /** Reserves a seat for a session that replaces a present one. It needs no place of its own. */
  reserveSuccessor(sessionId: string): void {
    this.#successors.add(sessionId);
  }

  release(sessionId: string): void {
    this.#successors.delete(sessionId);
    this.#seats.delete(sessionId);
    this.#spectators.delete(sessionId);
  }

  /** Turns a seat into the number of a new participant, or of the one before it. */
  claim(sessionId: string, before?: number): number {
    this.release(sessionId);
    if (before !== undefined) return before;
    const newest = [...this.#participants.keys()].at(-1);
    return this.#numbers.next(newest, this.#clock.nowMs());
  }

  add(participant: Participant, isSpectator: boolean): void {
    this.#participants.set(participant.number, participant);
    this.#numbers.take(participant.number);
    this.#numbers.take(participant.seat);
    if (isSpectator) this.#spectators.add(participant);
  }

  isSpectator(participant: Participant): boolean {
    return this.#spectators.has(participant);
  }

  remove(participant: Participant): void {
    this.#participants.delete(participant.number);
    const nowMs = this.#clock.nowMs();
    this.#numbers.release(participant.number, nowMs);
    this.#numbers.release(participant.seat, nowMs);
    this.#spectators.delete(participant);
  }

  /** Returns the number of a new bot, which the room's authority plays. It has no session, and takes no seat. */
  addBot(): number {
    const nowMs = this.#clock.nowMs();
    const number = this.#numbers.next([...this.#participants.keys()].at(-1), nowMs);
    this.#numbers.take(number);
    return number;
  }

  /** Tells the members of a bot, which is a peer to them. */
  introduceBot(number: number, id: string): void {
    const peer = { number, id, webrtc: false };
    this.#bots.set(number, peer);
    this.#sendToAll({ type: "joined", peer });
  }

  removeBot(number: number): void {
    this.#numbers.release(number, this.#clock.nowMs());
    if (this.#bots.delete(number)) this.#sendToAll({ type: "left", number });
  }

  /**
   * Returns the other participants for a welcome. Participants that are not introduced yet follow in `joined`
   * messages.
   */
  peersOf(participant: Participant): PeerInfo[] {
    const peers: PeerInfo[] = [...this.#bots.values()];
    for (const other of this.#participants.values()) {
      if (other !== participant && other.isIntroduced) peers.push(other.info);
    }
    return peers;
  }

  /**
   * Tells the others of a newcomer. In a room with an authority that leaves with the next states, before its first
   * entity: when many join, each packet less counts. In a very large one it leaves at once: news that a thousand members
   * get at the same moment would be held for all of them until they acknowledge it.
   */
  introduce(participant: Participant): void {
    const message = { type: "joined", peer: participant.info } as const;
    if (!this.host || this.#participants.size > MAX_WAITING_NEWS)
      return this.sendToOthers(participant, message);
    const payload = writeControl(message);
    // The welcome of one that is not introduced yet will list the newcomer.
    for (const other of this.#participants.values())
      if (other !== participant && other.isIntroduced) other.addIntroduction(payload);
  }

  sendToOthers(participant: Participant, message: ServerMessage): void {
    this.#sendToAll(message, participant);
  }

  #sendToAll(message: ServerMessage, except?: Participant): void {
    const payload = writeControl(message);
    const periodMs = this.host && message.type === "left" ? LEFT_PERIOD_MS : 0;
    for (const other of this.#participants.values()) {
      if (other !== except) other.send(payload, periodMs);
    }
  }
}
