import type { LinkKind } from "@paceline/transport";

/** One participant, for those who run the relay. */
export interface SessionReport {
  /** No secret: the others in the room know it. */
  readonly sessionId: string;
  readonly number: number;
  /** Undefined while the participant has no link and may come back. */
  readonly link: LinkKind | undefined;
  /** Undefined before it was measured. */
  readonly rttMs: number | undefined;
  /** Bytes that wait for a slow receiver. */
  readonly queuedBytes: number;
  /** About what is kept in memory for it, the queue included. */
  readonly heldBytes: number;
  /** Reliable messages that were not acknowledged yet. */
  readonly unacknowledged: number;
  readonly connectedS: number;
}

/** One room, for those who run the relay. */
export interface RoomReport {
  readonly roomId: string;
  readonly roomName: string;
  readonly maxPlayers: number;
  /** Participants and reserved seats. */
  readonly taken: number;
  readonly sessions: readonly SessionReport[];
}
