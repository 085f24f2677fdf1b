import type { DropReason } from "@paceline/protocol";
import type { PathQuality } from "../stats/path-stats.js";
import type { PeerRates } from "../stats/rate-meter.js";

/** Messages that an ended session leaves unacknowledged. */
export interface MessageLoss {
  /**
   * Number of messages of `Room.send` without a receipt: the last ones that were sent. All earlier ones
   * have arrived; these may have.
   */
  readonly unacknowledged: number;
}

/** State of a peer: `away` if its page is closed or sleeps, or if nothing reaches it. */
export type PeerState = "connected" | "away";

/** Paths to a peer, the best one first. */
export type PeerPath = "direct" | "turn" | "relay";

/** Another participant of the room, as a game sees it. */
export interface Peer {
  /** Id of the player. It stays the same while the player keeps its seat, also after a reload. */
  readonly id: string;
  /**
   * Number of the player, in the order of joining. The server gives each number once per room. It lasts as
   * long as {@link id}.
   */
  readonly number: number;
  /**
   * `away`: its page was closed or sleeps, or it cannot be reached. It may come back; otherwise it leaves.
   */
  readonly state: PeerState;
  /**
   * Present path to this peer: direct, through a TURN server, or through the relay. In a room with an
   * authority `server`, because all traffic is with the server.
   */
  readonly path: PeerPath | "server";
  /** Transport of the path, in words. */
  readonly channel: string;
  /** Reason for this path, in a sentence. */
  readonly reason: string;
  /** Round trip over the present path, ms; undefined before the first measurement. */
  readonly rttMs: number | undefined;
  readonly stats: PeerRates & PathQuality;
  /** Counts of dropped data from this peer and of dropped events to it, by reason. */
  readonly drops: Partial<Record<DropReason, number>>;
}
