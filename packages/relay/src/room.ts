import { writeControl, type PeerInfo, type ServerMessage } from "@paceline/protocol";
import type { MatchRefusal, RoomOptions } from "./match-request.js";
import type { HostedRoom, RoomHost } from "./room-host.js";
import type { Participant } from "./participant.js";
import type { RelayLimits } from "./relay-limits.js";
import { TokenBucket } from "./token-bucket.js";

/** What identifies a room to those who look for one. */
export interface RoomDescription {
  readonly id: string;
  readonly name: string;
  /** What it was created with. */
  readonly options: RoomOptions;
  /** The same in canonical form. */
  readonly optionsKey: string;
  readonly maxPeers: number;
  /** See {@link HostedRoom.code}. */
  readonly code: string;
  readonly limits: RelayLimits;
  readonly nowMs: number;
  /** The room was ended, and everybody put out. */
  readonly onEnd: (room: Room) => void;
}

/** A room that somebody may join. */
export interface RoomListing {
  readonly roomId: string;
  readonly roomName: string;
  /** Participants and reserved seats. */
  readonly players: number;
  readonly maxPlayers: number;
  /** The options that tell it from others of its kind. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The first number of a participant; 0 stays free for "nobody". */
const FIRST_NUMBER = 1;
const LAST_NUMBER = 0xffff;

/** Participants who see each other, and seats that are kept for some who come soon. */
export class Room implements HostedRoom {
  readonly id: string;
  readonly name: string;
  readonly options: RoomOptions;
  readonly optionsKey: string;
  readonly code: string;
  maxPeers: number;
  isLocked = false;
  isPrivate = false;
  isKept = false;
  metadata: Readonly<Record<string, unknown>> = {};
  /** What decides here; undefined in a room whose participants are among themselves. */
  host: RoomHost | undefined;
  /** Until the host is there: resolves with the reason where there will be none. */
  opening: Promise<MatchRefusal | undefined> | undefined;
  /** What all of its sessions may send. */
  readonly byteBucket: TokenBucket;
  readonly #joins: TokenBucket;
  readonly #participants = new Map<number, Participant>();
  readonly #options: readonly (readonly [string, unknown])[];
  readonly #onEnd: (room: Room) => void;
  readonly #seats = new Set<string>();
  #nextNumber = FIRST_NUMBER;

  constructor(description: RoomDescription) {
    this.id = description.id;
    this.name = description.name;
    this.options = description.options;
    this.optionsKey = description.optionsKey;
    this.maxPeers = description.maxPeers;
    this.code = description.code;
    this.#options = JSON.parse(description.optionsKey) as [string, unknown][];
    this.#onEnd = description.onEnd;
    const { limits, nowMs } = description;
    // Whatever is set: one session that keeps its own limits is never held back in a room of its own.
    const bytesPerSecond = Math.max(limits.bytesPerSecondPerRoom, limits.bytesPerSecond);
    const byteBurst = Math.max(limits.byteBurstPerRoom, limits.byteBurst);
    this.byteBucket = new TokenBucket(bytesPerSecond, byteBurst, nowMs);
    this.#joins = new TokenBucket(limits.joinsPerSecondPerRoom, limits.joinBurstPerRoom, nowMs);
  }

  /** Participants, in the order in which they came. */
  get participants(): Iterable<Participant> {
    return this.#participants.values();
  }

  /** How many are here or have a seat. */
  get taken(): number {
    return this.#participants.size + this.#seats.size;
  }

  /** Also a room that has given out its last number is full: numbers are never used again. */
  get isFull(): boolean {
    return this.taken >= this.maxPeers || this.#nextNumber + this.#seats.size > LAST_NUMBER;
  }

  get isEmpty(): boolean {
    return this.taken === 0;
  }

  /** Whether somebody who looks for any room of this kind may get into this one. */
  get isOpen(): boolean {
    return !this.isFull && !this.isLocked && !this.isPrivate;
  }

  /** As those see it who look for a room. */
  get listing(): RoomListing {
    const { id: roomId, name: roomName, metadata, taken: players, maxPeers: maxPlayers } = this;
    return { roomId, roomName, players, maxPlayers, metadata, options: Object.fromEntries(this.#options) };
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

  reserve(sessionId: string): void {
    this.#seats.add(sessionId);
  }

  /** Gives a seat back. */
  release(sessionId: string): void {
    this.#seats.delete(sessionId);
  }

  /** Turns a seat into the number of a new participant. */
  claim(sessionId: string): number {
    this.#seats.delete(sessionId);
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    return number;
  }

  add(participant: Participant): void {
    this.#participants.set(participant.number, participant);
  }

  remove(participant: Participant): void {
    this.#participants.delete(participant.number);
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
    for (const other of this.#participants.values()) {
      if (other !== participant) other.send(payload);
    }
  }
}
