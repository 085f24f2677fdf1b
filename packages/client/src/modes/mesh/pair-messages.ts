import { NetError, limits, writePeerPayload, type PeerPayload } from "@paceline/protocol";
import { Broadcast, type BroadcastReceiver } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer-connection.js";
import type { RoomParts } from "../room-mode.js";

/** Sends reliable messages to several pairs: to all of the receivers, or to none. */
export class PairMessages {
  readonly #peers: () => PeerConnection[];
  readonly #broadcast: Broadcast;

  constructor(parts: RoomParts, peers: () => PeerConnection[]) {
    this.#peers = peers;
    this.#broadcast = new Broadcast(parts);
  }

  /**
   * Sends a reliable message of the game to all receivers, or to none. Throws {@link NetError} `limit/queue`
   * if one of them has too many unacknowledged bytes. A pair that stays full for long starts again.
   */
  post(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    const isFull = ({ session }: PeerConnection): boolean =>
      !session.isClosed && !session.commands.hasRoom([bytes], limits.pairQueueBytes);
    for (const peer of receivers) if (peer.isUnproven && isFull(peer)) peer.restart("still takes nothing");
    const open = receivers.filter(({ session }) => !session.isClosed);
    const full = open.filter(isFull);
    for (const peer of full) peer.refuse();
    const peers = full.map(({ number }) => number);
    if (peers.length > 0) {
      const message = `too much waits for a receipt of peer ${peers.join(", ")}`;
      throw new NetError("limit/queue", message, { retryable: true, peers });
    }
    this.#send(bytes, open);
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
        peer.restart("takes nothing that is sent to it");
    }
    this.#send(
      bytes,
      this.#peers().filter(({ session }) => !session.isClosed),
    );
  }

  /** Sends a bulk message to all receivers, or to none if one of them has no room. */
  postBulk(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    const open = receivers.filter(({ session }) => !session.isClosed);
    for (const peer of open) {
      try {
        peer.session.checkBulk(bytes);
      } catch (error) {
        if (error instanceof NetError) peer.refuseBulk();
        throw error;
      }
    }
    for (const { session } of open) session.sendBulk(bytes);
  }
}
