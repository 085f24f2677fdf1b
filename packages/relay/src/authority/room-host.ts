import type { IncomingHttpHeaders } from "node:http";
import {
  type RoomOptions,
  type MatchedSeat,
  type MatchMethod,
  type AuthorityInfo,
  type PeerInfo,
  type MatchRefusal,
} from "@paceline/protocol";
import type { Link, LinkClose, Session } from "@paceline/transport";
import type { LimitSubject } from "../ops/relay-counters.js";

/** A request for a seat in a room that has an authority. */
export interface JoinRequest {
  readonly method: MatchMethod;
  readonly roomName: string;
  readonly options: RoomOptions;
  /** Proof of the player's identity, from the game's client; empty if there is none. */
  readonly authToken: string;
  readonly caller: Caller;
}

/** The source of a request. */
export interface Caller {
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

/** The authority's consent to a request. `auth` is passed to {@link RoomHost.join}. */
export interface Grant {
  readonly auth: unknown;
  /** The options as the authority reads them. The seat and the choice of the room use these. */
  readonly options: RoomOptions;
  /** Identity token that the client stores and sends with its next request. */
  readonly identity?: string | undefined;
}

/**
 * The authority of the rooms of one name. The relay keeps seats, links and sessions; the host handles their
 * contents.
 */
export interface RoomAuthority {
  /** Names of the options that separate rooms. Default: all options. */
  readonly filterBy?: readonly string[] | undefined;
  /** Decides whether a player may join, before a room is looked for or opened. Never rejects. */
  authorize(request: JoinRequest): Promise<Grant | MatchRefusal>;
  /**
   * Opens the authority of a new room. Sets the room's numbers of places before it waits for anything. Never
   * rejects.
   */
  open(room: HostedRoom, options: RoomOptions): Promise<RoomHost | MatchRefusal>;
}

/** A room, as its host sees it. */
export interface HostedRoom {
  readonly id: string;
  readonly name: string;
  /** Short code that players pass on to friends. It leads into the room even if the room is private. */
  readonly code: string;
  maxPlayers: number;
  /** Places for spectators, besides `maxPlayers`. */
  maxSpectators: number;
  /** True: the room admits no more players. */
  isLocked: boolean;
  /** True: the room is found only by its id or its code. */
  isPrivate: boolean;
  /** True: the room stays when the last participant has left. */
  isKept: boolean;
  /** The room's metadata in room lists. */
  metadata: Readonly<Record<string, unknown>>;
  /**
   * Opens another room for guests only. Resolves with a ticket for each guest, in the order of the guests.
   */
  openMatch(match: MatchedRoom): Promise<readonly MatchedSeat[] | MatchRefusal>;
  /** Ends every session with this code, then the room. */
  end(code: number, reason: string): void;
}

/** A participant, as the host of its room sees it. */
export interface HostedParticipant {
  readonly number: number;
  readonly id: string;
  readonly session: Session;
  /** True once the participant has ended. The links of one that leaves stay open for a moment. */
  readonly isGone: boolean;
  /**
   * The link that brings all states in the order of sending; undefined if states may be lost or overtake each
   * other.
   */
  readonly inOrderLink: Link | undefined;
  /** The participant's entry in the peer lists of the others. */
  readonly info: PeerInfo;
  /** Time for which the seat of a closed page is kept, ms; undefined while the page is open. */
  readonly unloadGraceMs: number | undefined;
  /**
   * Sends a reliable payload. `periodMs`: time that it may wait to share a packet; default: that of its kind.
   * A participant whose queue gets too long is ended.
   */
  send(payload: Uint8Array, periodMs?: number): void;
  /**
   * Counts a message that the host holds back for a rate of its own. A participant that goes on is cut as
   * flooding.
   */
  reportExceeded(subject: LimitSubject): void;
  /** Charges items of msgpack values that the host decodes for this participant, see `messagesPerSecond`. */
  readonly chargeItems: (items: number) => void;
  /**
   * Charges packets that the host sends because of a message of this participant to its share of
   * `forwardsPerSecondPerRoom`. While it is in debt, the relay does not read its WebSocket, for 500 ms at most.
   */
  charge(packets: number): void;
  /** True: the debt is too large for a pause. The host refuses the participant's messages until it is paid. */
  readonly isOverdrawn: boolean;
  end(code: number, reason: string): void;
  /** Keeps the participant for `graceMs` without a link, counted from the loss of its link. */
  keepFor(graceMs: number): void;
}

/** The request behind a participant's seat. */
export interface HostedSeat {
  readonly options: RoomOptions;
  readonly auth: unknown;
  /** Session of the same player before a reload. The new session takes over its place and id. */
  readonly replaces: string | undefined;
  /** True: the participant only watches. */
  readonly isSpectator: boolean;
  /** Network address of the request. */
  readonly address: string;
}

/** A participant of a room who moves to another one. */
export interface MatchedPlayer extends Pick<HostedSeat, "options" | "auth" | "address"> {
  readonly webrtc: boolean;
  /** Returns true if the player has left meanwhile. Then its seat is given back. */
  isGone(): boolean;
}

/** A room to open for some guests only. */
export interface MatchedRoom {
  /** Kind of the new room. */
  readonly roomName: string;
  readonly options: RoomOptions;
  readonly players: readonly MatchedPlayer[];
  /** Build of the guests' game; the relay sets it. */
  readonly build?: string;
}

/** The authority of one room. It gets the bytes of participants unchecked. */
export interface RoomHost {
  readonly info: AuthorityInfo;
  /** Returns the tick of the simulation for packets to this participant. */
  tickFor(participant: HostedParticipant): number;
  /**
   * Admits the participant whose link has opened, or resolves with the reason of a refusal. Never rejects.
   */
  join(participant: HostedParticipant, seat: HostedSeat): Promise<string | undefined>;
  receive(participant: HostedParticipant, payload: Uint8Array): void;
  receiveEvent(participant: HostedParticipant, body: Uint8Array): void;
  receiveState(participant: HostedParticipant, body: Uint8Array, tick: number): void;
  receiveInput(participant: HostedParticipant, body: Uint8Array): void;
  /** Called when a packet of states has arrived at the participant. */
  acknowledged(participant: HostedParticipant, sequence: number): void;
  dropped(participant: HostedParticipant): void;
  returned(participant: HostedParticipant): void;
  /**
   * Called when a participant has ended. May return a promise that resolves when the host has let it go. A client
   * that leaves waits for it.
   */
  left(participant: HostedParticipant, close: LinkClose): Promise<unknown> | undefined;
  /** Called when the server takes nobody new and will stop. */
  draining(): void;
  /** Called when the room is empty and closed. */
  close(): void;
}
