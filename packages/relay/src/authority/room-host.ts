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

/** Somebody who asks for a seat in a room that has an authority. */
export interface JoinRequest {
  readonly method: MatchMethod;
  readonly roomName: string;
  readonly options: RoomOptions;
  /** Proof of who it is, as the game's client gave it; empty where it gave none. */
  readonly authToken: string;
  readonly caller: Caller;
}

/** The source of a request. */
export interface Caller {
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

/** The request is granted; `auth` comes along to {@link RoomHost.join}. */
export interface Grant {
  readonly auth: unknown;
  /** The options as the authority understands them; the seat, and what tells rooms apart, follow these. */
  readonly options: RoomOptions;
  /** The identity token that the client stores and shows next time. */
  readonly identity?: string | undefined;
}

/** The authority of the rooms of one name. The relay keeps seats, links and sessions; the host handles their contents. */
export interface RoomAuthority {
  /** The options that tell rooms apart. Default: all. */
  readonly filterBy?: readonly string[] | undefined;
  /** Whether this one may come. Asked before any room is looked for or opened; never rejects. */
  authorize(request: JoinRequest): Promise<Grant | MatchRefusal>;
  /** Opens the authority of a new room, whose places it says before it waits for anything; never rejects. */
  open(room: HostedRoom, options: RoomOptions): Promise<RoomHost | MatchRefusal>;
}

/** A room as its host sees it. */
export interface HostedRoom {
  readonly id: string;
  readonly name: string;
  /** Short enough to be told to a friend; {@link RoomOptions} aside, the way into a private room. */
  readonly code: string;
  maxPlayers: number;
  /** Places for those who only watch, besides. */
  maxSpectators: number;
  /** No player gets in any more. */
  isLocked: boolean;
  /** Found by its id or its code alone. */
  isPrivate: boolean;
  /** Stays when the last participant has gone. */
  isKept: boolean;
  /** The room's metadata in room lists. */
  metadata: Readonly<Record<string, unknown>>;
  /** Players and places that are kept for some. */
  readonly taken: number;
  /** Opens another room for guests, which nobody else finds; resolves with a ticket for each, in their order. */
  meet(meeting: Meeting): Promise<readonly MatchedSeat[] | MatchRefusal>;
  /** Ends every session with this code, and the room. */
  end(code: number, reason: string): void;
}

/** A participant as the host of its room sees it. */
export interface HostedParticipant {
  readonly number: number;
  readonly id: string;
  readonly session: Session;
  /** The link that brings all states in the order in which they are sent; undefined where they may be lost or overtake. */
  readonly inOrderLink: Link | undefined;
  /** As the others see it. */
  readonly info: PeerInfo;
  /** The seat of a closed page is kept for this time, ms; undefined while the page is open. */
  readonly unloadGraceMs: number | undefined;
  /**
   * Sends a reliable payload, which may wait so long for others to share its packet; default: as its kind does. Who lets
   * too many wait is out.
   */
  send(payload: Uint8Array, periodMs?: number): void;
  /** The host holds back a message beyond a rate of its own: counted; whoever goes on is cut as flooding. */
  reportExceeded(subject: LimitSubject): void;
  end(code: number, reason: string): void;
  /** It is kept this long without a link, from the moment it lost its link. */
  keepFor(graceMs: number): void;
}

/** The origin of a participant's seat. */
export interface HostedSeat {
  readonly options: RoomOptions;
  readonly auth: unknown;
  /** The session whose place it takes, with its id and number: the same player before a reload. */
  readonly replaces: string | undefined;
  /** Wants to watch only. */
  readonly isSpectator: boolean;
  /** The source of the request. */
  readonly address: string;
}

/** Somebody in a room who is to go on in another one. */
export interface Guest {
  readonly options: RoomOptions;
  readonly auth: unknown;
  readonly address: string;
  readonly webrtc: boolean;
}

/** A room that is to be opened for some guests alone. */
export interface Meeting {
  /** A kind of room. */
  readonly roomName: string;
  /** Options of the new room. */
  readonly options: RoomOptions;
  readonly guests: readonly Guest[];
  /** The build of the guests' games; set by the relay. */
  readonly build?: string;
}

/** The authority of one room. What participants send is handed over unread: bytes may be anything. */
export interface RoomHost {
  readonly info: AuthorityInfo;
  /** The simulation's step, as packets to this participant say it. */
  tickFor(participant: HostedParticipant): number;
  /** A link has opened for a seat. Resolves with the reason where it is refused; never rejects. */
  join(participant: HostedParticipant, seat: HostedSeat): Promise<string | undefined>;
  receive(participant: HostedParticipant, payload: Uint8Array): void;
  receiveEvent(participant: HostedParticipant, body: Uint8Array): void;
  receiveState(participant: HostedParticipant, body: Uint8Array, tick: number): void;
  receiveInput(participant: HostedParticipant, body: Uint8Array): void;
  /** A packet of states has arrived. */
  acknowledged(participant: HostedParticipant, sequence: number): void;
  dropped(participant: HostedParticipant): void;
  returned(participant: HostedParticipant): void;
  left(participant: HostedParticipant, close: LinkClose): void;
  /** The server takes nobody new, and will stop. */
  draining(): void;
  /** The room is empty and gone. */
  close(): void;
}
