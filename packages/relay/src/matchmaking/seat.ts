import type { Cancel } from "@paceline/transport";
import type { Participant } from "../sessions/participant.js";
import type { HostedSeat } from "../authority/room-host.js";
import type { Room } from "../sessions/room.js";

/** A seat that is reserved for a player. */
export interface ReservedSeat extends Omit<HostedSeat, "replaces"> {
  readonly room: Room;
  /** Number of rooms like its room that were full. */
  readonly fullRooms: number;
  /** The participant that the seat's session replaces, whose page reloads. */
  readonly before?: Participant | undefined;
  /** Secret that takes the seat, once; undefined until the ticket is issued. */
  readonly ticket?: string;
  readonly webrtc?: boolean;
  readonly cancelRelease: Cancel;
}

/** The reason to refuse a ticket. */
export interface TicketFault {
  readonly code: number;
  readonly reason: string;
}

/** A reserved seat whose ticket is not issued yet. */
export interface HeldSeat {
  readonly room: Room;
  readonly sessionId: string;
  readonly identity?: string | undefined;
}
