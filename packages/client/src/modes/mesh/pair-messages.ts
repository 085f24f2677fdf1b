import { NetError, limits, writePeerPayload, type PeerPayload } from "@paceline/protocol";
import {
  Broadcast,
  assertBytes,
  assertMessageBytes,
  type BroadcastReceiver,
  type BulkRate,
  type DropCounters,
} from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer-connection.js";
import type { RoomListeners } from "../room-listeners.js";
import type { RoomParts } from "../room-mode.js";

/** Half of a relay's default limit for one session. The other half is for the game's other traffic. */
const BULK_BYTES_PER_SECOND = 131_072;
const BULK_BURST_BYTES = 16_384;

/**
 * Limit of memory for messages of all peers that are not complete, bytes: four of the longest. A server has the
 * same default for all its sessions.
 */
export const MAX_UNFINISHED_BYTES = 67_108_864;

/** Sends reliable messages to several pairs: to each that has room. */
export class PairMessages {
  readonly #listeners: RoomListeners;
  readonly #peers: () => PeerConnection[];
  readonly #broadcast: Broadcast;

  constructor(parts: RoomParts, peers: () => PeerConnection[]) {
    this.#listeners = parts.listeners;
    this.#peers = peers;
    this.#broadcast = new Broadcast({ ...parts, uplink: () => parts.connection.uplink });
  }

  /**
   * Sends a reliable message of the game to all receivers with room. Reports those that have too many
   * unacknowledged bytes, and throws {@link NetError} `limit/queue` if all have. A pair that stays full for
   * long starts again.
   */
  post(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    // A player who is alone learns of it, too.
    assertMessageBytes(bytes.length);
    const isFull = ({ session }: PeerConnection): boolean =>
      !session.isClosed && !session.commands.hasRoom([bytes], limits.pairQueueBytes);
    for (const peer of receivers)
      if (peer.isUnproven && isFull(peer)) peer.restart("still acknowledges nothing");
    const [full, free] = split(receivers, isFull);
    for (const peer of full) peer.refuse();
    this.#send(bytes, free);
    this.#report(full, free);
  }

  /** Reports the receivers that do not get a message. Throws if there are no others. */
  #report(full: readonly PeerConnection[], free: readonly PeerConnection[]): void {
    if (full.length === 0) return;
    const peers = full.map(({ number }) => number);
    const message = `too much waits for a receipt of peer ${peers.join(", ")}, which does not get a message`;
    const error = new NetError("limit/queue", message, { retryable: true, peers });
    if (free.length === 0) throw error;
    this.#listeners.skips.emit(peers);
    this.#listeners.report(error);
  }

  /** Uploads one body for all receivers behind the relay, if there are several. */
  #send(payload: Uint8Array, peers: readonly PeerConnection[]): void {
    const receivers: BroadcastReceiver[] = [];
    const alone: PeerConnection[] = [];
    for (const peer of peers) {
      const receiver = peer.broadcastReceiver;
      if (receiver) receivers.push(receiver);
      else alone.push(peer);
    }
    if (receivers.length > 1) this.#broadcast.add(payload, receivers);
    else for (const { session } of receivers) session.sendReliable(payload);
    for (const { session, relayedState } of alone) {
      // A relayed pair that has started again costs one more packet than the others.
      if (relayedState && peers.length > 1) session.answer([payload]);
      else session.sendReliable(payload);
    }
  }

  /** Sends a message about own entities to receivers that have room for it. */
  postTo(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    this.#send(writePeerPayload(payload), receivers);
  }

  /** Sends at once the messages that wait for others to share their packet. */
  flush(): void {
    this.#broadcast.flush();
    for (const { session } of this.#peers()) session.flush();
  }

  /**
   * Sends a message about own entities to all peers. It may use the rest of the session's limit. If a pair
   * has no room even then, it starts again and gets all entities.
   */
  postStates(payload: PeerPayload): void {
    const bytes = writePeerPayload(payload);
    for (const peer of this.#peers()) {
      if (!peer.session.commands.hasRoom([bytes], limits.sessionQueueBytes))
        peer.restart("acknowledges nothing that is sent to it");
    }
    this.#send(
      bytes,
      this.#peers().filter(({ session }) => !session.isClosed),
    );
  }

  /** Sends a bulk message as {@link post} does. Throws before it sends if the message is too long. */
  postBulk(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    assertBytes("message", bytes.length, limits.bulkBytes);
    const [full, free] = split(receivers, ({ session }) => !session.bulk.hasRoom([bytes]));
    for (const peer of full) peer.refuseBulk();
    for (const { session } of free) session.sendBulk(bytes);
    this.#report(full, free);
  }
}

/** Returns the open receivers that are full, and the others. */
function split(
  receivers: readonly PeerConnection[],
  isFull: (peer: PeerConnection) => boolean,
): readonly [full: PeerConnection[], free: PeerConnection[]] {
  const open = receivers.filter(({ session }) => !session.isClosed);
  return [open.filter(isFull), open.filter((peer) => !isFull(peer))];
}

/**
 * Called before a part of a message of `peer` is taken. A peer may always have its share of the memory for
 * messages that are not complete. Beyond the limit, the pair that holds the most starts again, which tells both
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

/**
 * Common rate limit for the bulk traffic of all relayed pairs of a room. Pure: the caller passes the time.
 */
export class SharedBulkRate implements BulkRate {
  #bytes = BULK_BURST_BYTES;
  #atMs = -Infinity;

  take(bytes: number, nowMs: number): boolean {
    const gained = ((nowMs - this.#atMs) / 1000) * BULK_BYTES_PER_SECOND;
    this.#bytes = Math.min(BULK_BURST_BYTES, this.#bytes + gained);
    this.#atMs = nowMs;
    if (this.#bytes < bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}
