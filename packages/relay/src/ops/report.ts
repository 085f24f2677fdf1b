import type { LinkKind } from "@paceline/transport";

/** One participant, as the operator sees it. */
export interface SessionReport {
  /** Session id. It is no secret: the others in the room know it. */
  readonly sessionId: string;
  readonly number: number;
  /** Kind of the link; undefined while the participant has none and may come back. */
  readonly link: LinkKind | undefined;
  /** Round-trip time, ms; undefined until it is measured. */
  readonly rttMs: number | undefined;
  /** Bytes that wait for a slow receiver. */
  readonly queuedBytes: number;
  /** Approximate memory kept for the participant, the queue included, bytes. */
  readonly heldBytes: number;
  /** Reliable messages that are not acknowledged yet. */
  readonly unacknowledged: number;
  readonly connectedS: number;
}

/** One room, as the operator sees it. */
export interface RoomReport {
  readonly roomId: string;
  readonly roomName: string;
  readonly maxPlayers: number;
  /** Participants and reserved seats. */
  readonly taken: number;
  readonly sessions: readonly SessionReport[];
}
