import type { IncomingHttpHeaders } from "node:http";
import type { AuthorityInfo, MatchMethod, MatchRefusal, MatchedSeat, RoomOptions } from "@paceline/protocol";
import type { LinkClose } from "@paceline/transport";
import type { Participant } from "./participant.js";
import type { SavedGame } from "../saving/saved-room.js";
import type { Room } from "./room.js";

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

/** The authority's consent to a request. `auth` is passed to {@link RoomCallbacks.join}. */
export interface Grant {
  readonly auth: unknown;
  /** The options as the authority reads them. The seat and the choice of the room use these. */
  readonly options: RoomOptions;
  /** Identity token that the client stores and sends with its next request. */
  readonly identity?: string | undefined;
}

/**
 * The authority of the rooms of one name. The relay keeps seats, links and sessions; the authority handles their
 * contents.
 */
export interface RoomAuthority {
  /** Names of the options that separate rooms. Default: all options. */
  readonly filterBy?: readonly string[] | undefined;
  /** Decides whether a player may join, before a room is looked for or opened. Never rejects. */
  authorize(request: JoinRequest): Promise<Grant | MatchRefusal>;
  /**
   * Opens the authority of a new room, or of one that goes on from an earlier process. Sets the room's numbers of
   * places before it waits for anything. Never rejects.
   */
  open(room: Room, options: RoomOptions, restored?: RestoredRoom): Promise<RoomCallbacks | MatchRefusal>;
}

/** The room of an earlier process, for the authority that goes on with it. */
export interface RestoredRoom {
  readonly game: SavedGame;
  /** Whole states of the entities. */
  readonly states: readonly Uint8Array[];
  /** Build of the game that saved the room; empty if it named none. */
  readonly build: string;
  /** True: this server has another build. */
  readonly isOtherBuild: boolean;
  /** Its participants, who are away, with their seats. Those whose session cannot go on keep their seat. */
  readonly participants: readonly Participant[];
  /** Time since the save, ms, as far as the wall clock shows; at least 0. */
  readonly sinceMs: number;
  /** True: the process stopped after the save, so that sessions go on exactly. */
  readonly isFinal: boolean;
}

/** The authority's half of a save. */
export interface GameCapture {
  readonly game: SavedGame;
  /** Whole states of the entities in bodies, each of which is encoded when it is asked for. */
  readonly states: Iterable<Uint8Array>;
}

/** The authority of one room, as the room calls it. */
export interface RoomCallbacks {
  readonly info: AuthorityInfo;
  /**
   * Admits the participant whose link has opened and sets its `callbacks`, or resolves with the reason of a
   * refusal. Never rejects.
   */
  join(participant: Participant, seat: SeatRequest): Promise<string | undefined>;
  /** Called when the server takes nobody new and will stop. */
  draining(): void;
  /**
   * Calls `take` with the authority's half of a save, at a moment at which it fits what the participants have sent:
   * at once if the save is final, since the process stops then. Otherwise it may wait for its next step. Calls it with
   * a sentence if it cannot be saved. Undefined: the room holds nothing besides its seats.
   */
  save?(isFinal: boolean, take: (capture: GameCapture | string) => void): void;
  /** Called after the final save: the room goes on in another process, so that no hook is called. */
  suspend?(): void;
  /** Called when the room is empty and closed. */
  close(): void;
}

/** The game's half of a participant, as the participant calls it. It gets the bytes unchecked. */
export interface ParticipantCallbacks {
  /** Tick of the simulation for packets to this participant. */
  readonly tick: number;
  receive(payload: Uint8Array): void;
  receiveEvent(body: Uint8Array): void;
  receiveState(body: Uint8Array, tick: number): void;
  receiveInput(body: Uint8Array): void;
  /** Called when a packet of states has arrived at the participant. */
  acknowledged(sequence: number): void;
  /** Called when the participant has no link any more. It may come back. */
  dropped(): void;
  returned(): void;
  /**
   * Called when the participant has ended. May return a promise that resolves when the authority has let it go. A
   * client that leaves waits for it.
   */
  left(close: LinkClose): Promise<unknown> | undefined;
}

/** The request that gave a participant its seat. */
export interface SeatRequest {
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
export interface MatchedPlayer extends Pick<SeatRequest, "options" | "auth" | "address"> {
  readonly webrtc: boolean;
  /** Returns true if the player has left meanwhile. Then its seat is given back. */
  isGone(): boolean;
}

/** A room to open for some players only. */
export interface MatchedRoom {
  /** Kind of the new room. */
  readonly roomName: string;
  readonly options: RoomOptions;
  readonly players: readonly MatchedPlayer[];
  /** Build of the players' game; the relay sets it. */
  readonly build?: string;
}

/** Opens a room for these players only. Resolves with a ticket for each, in their order. */
export type OpenMatch = (match: MatchedRoom) => Promise<readonly MatchedSeat[] | MatchRefusal>;
