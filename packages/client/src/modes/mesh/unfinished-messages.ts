import type { DropCounters } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer-connection.js";

/**
 * Most memory for messages of all peers that are not complete, bytes: four of the longest. A server has the
 * same default for all its sessions.
 */
export const MAX_UNFINISHED_BYTES = 67_108_864;

/**
 * Called before a part of a message of `peer` is taken. A peer may always have its share of the memory for
 * messages that are not complete. Beyond the limit the pair that holds most starts again, which tells both
 * games, until the others have room.
 */
export function boundUnfinished(
  peer: PeerConnection,
  pairs: readonly PeerConnection[],
  drops: DropCounters,
): void {
  // The memory of a message doubles when it is full.
  if (2 * peer.session.unfinishedBytes < MAX_UNFINISHED_BYTES / pairs.length) return;
  let bytes = pairs.reduce((sum, { session }) => sum + session.unfinishedBytes, 0);
  const largestFirst = [...pairs].sort((a, b) => b.session.unfinishedBytes - a.session.unfinishedBytes);
  for (const largest of largestFirst) {
    if (bytes <= MAX_UNFINISHED_BYTES) return;
    bytes -= largest.session.unfinishedBytes;
    drops.count("queue-full");
    largest.restart("holds too much memory with messages that are not complete");
  }
}
