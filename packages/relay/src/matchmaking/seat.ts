import type { Cancel } from "@paceline/transport";
import type { AdmittedLink } from "../admission/admitted-link.js";
import type { Participant } from "../sessions/participant.js";
import type { HostedSeat } from "../authority/room-host.js";
import type { Room } from "../sessions/room.js";

/** A seat that somebody may take. */
export interface ReservedSeat extends Omit<HostedSeat, "replaces"> {
  readonly room: Room;
  /** Rooms like it in which there was no place. */
  readonly fullRooms: number;
  /** The participant that it replaces: its page is reloading. */
  readonly before: Participant | undefined;
  readonly cancelRelease: Cancel;
}

/** A seat that is kept while its room opens. */
export interface Held {
  readonly room: Room;
  readonly sessionId: string;
  readonly identity?: string | undefined;
}

/** Somebody who takes a seat. */
export interface Newcomer {
  readonly room: Room;
  readonly number: number;
  readonly id: string;
  readonly webrtc: boolean;
  readonly admitted: AdmittedLink;
}
