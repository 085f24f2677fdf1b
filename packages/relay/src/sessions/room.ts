import {
  writeControl,
  type PeerInfo,
  type RoomListing,
  type RoomOptions,
  type ServerMessage,
  type MatchRefusal,
} from "@paceline/protocol";
import type { HostedRoom, Meeting, RoomHost } from "../authority/room-host.js";
import type { Participant } from "./participant.js";
import { limitTable, type RelayLimits } from "../limits/relay-limits.js";
import { BucketShare, TokenBucket } from "../limits/token-bucket.js";

/** The identity of a room in matchmaking. */
export interface RoomDescription {
  readonly id: string;
  readonly name: string;
  /** Options of its creation. */
  readonly options: RoomOptions;
  /** The options in canonical form, for comparison. */
  readonly optionsKey: string;
  /** Build of the game of all in it; empty: of those that name none, or of any. */
  readonly build: string;
  readonly maxPlayers: number;
  /** See {@link HostedRoom.code}. */
  readonly code: string;
  /** The network address of the one who opened it; empty: the server itself. */
  readonly openedBy: string;
  readonly limits: RelayLimits;
  readonly nowMs: number;
  /** The room was ended, and everybody put out. */
  readonly onEnd: (room: Room) => void;
  /** Opens another room for guests of this one. */
  readonly onMeeting: HostedRoom["meet"];
}

/** The first number of a participant; 0 stays free for "nobody". */
const FIRST_NUMBER = 1;
const LAST_NUMBER = 0xffff;
/** The longest packet has to fit into what a session may always send, however large the room is. */
const MAX_PACKET_BYTES = limitTable.byteBurst.min;

/**
 * Spacing of the news that a player has left a room with an authority, which ends the player's entities itself. Each
 * packet costs an answer, too. A newcomer is news at once: it comes before the newcomer's first entity.
 */
const LEFT_PERIOD_MS = 100;

/** A rate that all sessions of a room share. */
interface Rate {
  readonly bucket: TokenBucket;
  readonly perSecond: number;
  readonly burst: number;
}

function newRate(perSecond: number, burst: number, nowMs: number): Rate {
  return { bucket: new TokenBucket(perSecond, burst, nowMs), perSecond, burst };
}

/** Participants who see each other, and seats that are kept for some who come soon. */
export class Room implements HostedRoom {
  readonly id: string;
  readonly name: string;
  readonly options: RoomOptions;
  readonly optionsKey: string;
  readonly build: string;
  readonly code: string;
  readonly openedBy: string;
  maxPlayers: number;
  maxSpectators = 0;
  /** Places that wait for friends of somebody who is here. */
  kept = 0;
  isLocked = false;
  isPrivate = false;
  isKept = false;
  metadata: Readonly<Record<string, unknown>> = {};
  /** The authority; undefined in a mesh. */
  host: RoomHost | undefined;
  /** Until the host is there: resolves with the reason where there will be none. */
  opening: Promise<MatchRefusal | undefined> | undefined;
  /** The send budget of all its sessions. */
  readonly #ingress: Rate;
  /** The room's forwarding budget. */
  readonly #egress: Rate;
  readonly #joins: TokenBucket;
  readonly #participants = new Map<number, Participant>();
  readonly #options: readonly (readonly [string, unknown])[];
  readonly #onEnd: (room: Room) => void;
  readonly #onMeeting: HostedRoom["meet"];
  /** Seats by session id; true for a spectator's. */
  readonly #seats = new Map<string, boolean>();
  /** Seats that replace a present participant: its page is reloading. */
  readonly #successors = new Set<string>();
  readonly #spectators = new Set<Participant | string>();
  #nextNumber = FIRST_NUMBER;

  constructor(description: RoomDescription) {
    this.id = description.id;
    this.name = description.name;
    this.options = description.options;
    this.optionsKey = description.optionsKey;
    this.build = description.build;
    this.maxPlayers = description.maxPlayers;
    this.code = description.code;
    this.openedBy = description.openedBy;
    this.#options = JSON.parse(description.optionsKey) as [string, unknown][];
    this.#onEnd = description.onEnd;
    this.#onMeeting = description.onMeeting;
    const { limits, nowMs } = description;
    // Whatever is set: one session that keeps its own limits is never held back in a room of its own.
    const bytesPerSecond = Math.max(limits.bytesPerSecondPerRoom, limits.bytesPerSecond);
    const byteBurst = Math.max(limits.byteBurstPerRoom, limits.byteBurst);
    this.#ingress = newRate(bytesPerSecond, byteBurst, nowMs);
    this.#egress = newRate(limits.egressBytesPerSecondPerRoom, limits.egressBurstPerRoom, nowMs);
    this.#joins = new TokenBucket(limits.joinsPerSecondPerRoom, limits.joinBurstPerRoom, nowMs);
  }

  /** A newcomer's shares of what the room's sessions may send, and of what the relay may forward for them. */
  shares(nowMs: number): { readonly ingress: BucketShare; readonly egress: BucketShare } {
    const share = ({ bucket, perSecond, burst }: Rate): BucketShare => {
      const places = this.maxPlayers + this.maxSpectators;
      const ownBurst = Math.max(burst / places, MAX_PACKET_BYTES);
      return new BucketShare(new TokenBucket(perSecond / places, ownBurst, nowMs), bucket);
    };
    return { ingress: share(this.#ingress), egress: share(this.#egress) };
  }

  /** Participants, in the order in which they came. */
  get participants(): Iterable<Participant> {
    return this.#participants.values();
  }

  /** The number of participants. */
  get size(): number {
    return this.#participants.size;
  }

  /** The number of players that are here, have a seat, or have one that their group keeps. */
  get taken(): number {
    return this.#participants.size + this.#seats.size - this.#spectators.size + this.kept;
  }

  /** Spectators who are here or have a seat. */
  get watching(): number {
    return this.#spectators.size;
  }

  get isEmpty(): boolean {
    return this.#participants.size + this.#seats.size + this.#successors.size + this.kept === 0;
  }

  /** Whether a player who looks for any room of this kind may get into this one. */
  get isOpen(): boolean {
    return !this.isPrivate && this.admits(false);
  }

  /** Whether a spectator may come in, or so many players. A room that is locked may be watched all the same. */
  admits(isSpectator: boolean, players = 1): boolean {
    // Numbers are never used again: a room that has given out its last one is full.
    const promised = this.#seats.size + this.#successors.size + this.kept;
    if (this.#nextNumber + promised + players - 1 > LAST_NUMBER) return false;
    if (isSpectator) return this.watching < this.maxSpectators;
    return !this.isLocked && this.taken + players <= this.maxPlayers;
  }

  /** Whether a player's seat is one too many: it was given before the room had said how many it takes. */
  isBeyond(sessionId: string): boolean {
    let before = this.taken - this.kept;
    let isFound = false;
    // The newest seats go first.
    for (const [seat, isSpectator] of this.#seats) {
      if (isFound && !isSpectator) before -= 1;
      isFound ||= seat === sessionId;
    }
    return isFound && this.#seats.get(sessionId) === false && before > this.maxPlayers;
  }

  /** {@link HostedRoom.meet} */
  meet(meeting: Meeting): ReturnType<HostedRoom["meet"]> {
    return this.#onMeeting(meeting);
  }

  /** As those see it who look for a room. */
  get listing(): RoomListing {
    const { id: roomId, name: roomName, metadata } = this;
    const { taken: players, maxPlayers, watching: spectators } = this;
    const options = Object.fromEntries(this.#options);
    return { roomId, roomName, players, maxPlayers, spectators, metadata, options };
  }

  /** Whether an option, or else the metadata, says so. */
  says(key: string, value: unknown): boolean {
    const option = this.#options.find(([name]) => name === key);
    return (option ? option[1] : this.metadata[key]) === value;
  }

  /** {@link HostedRoom.end} */
  end(code: number, reason: string): void {
    this.isLocked = true;
    this.isKept = false;
    for (const participant of [...this.#participants.values()]) participant.end(code, reason);
    this.#onEnd(this);
  }

  participant(number: number): Participant | undefined {
    return this.#participants.get(number);
  }

  /** Whether one more seat may be given out now. */
  admitJoin(nowMs: number): boolean {
    return this.#joins.take(1, nowMs);
  }

  reserve(sessionId: string, isSpectator: boolean): void {
    this.#seats.set(sessionId, isSpectator);
    if (isSpectator) this.#spectators.add(sessionId);
  }

  /** Reserves a seat for a session that replaces a present one: it needs no place of its own. */
  reserveSuccessor(sessionId: string): void {
    this.#successors.add(sessionId);
  }

  /** Gives a seat back. */
  release(sessionId: string): void {
    this.#successors.delete(sessionId);
    this.#seats.delete(sessionId);
    this.#spectators.delete(sessionId);
  }

  /** Turns a seat into the number of a new participant. */
  claim(sessionId: string): number {
    this.release(sessionId);
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    return number;
  }

  add(participant: Participant, isSpectator: boolean): void {
    this.#participants.set(participant.number, participant);
    if (isSpectator) this.#spectators.add(participant);
  }

  /** Whether it only watches. */
  isSpectator(participant: Participant): boolean {
    return this.#spectators.has(participant);
  }

  remove(participant: Participant): void {
    this.#participants.delete(participant.number);
    this.#spectators.delete(participant);
  }

  /** The others, as a participant's welcome lists them; it hears of those whose link opens later when it does. */
  peersOf(participant: Participant): PeerInfo[] {
    const peers: PeerInfo[] = [];
    for (const other of this.#participants.values()) {
      if (other !== participant && other.isIntroduced) peers.push(other.info);
    }
    return peers;
  }

  /** Tells everyone but one; encoded once. */
  tellOthers(participant: Participant, message: ServerMessage): void {
    const payload = writeControl(message);
    const periodMs = this.host && message.type === "left" ? LEFT_PERIOD_MS : 0;
    for (const other of this.#participants.values()) {
      if (other !== participant) other.send(payload, periodMs);
    }
  }
}
