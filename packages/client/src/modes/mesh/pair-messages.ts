import { NetError, limits, writePeerPayload, type PeerPayload } from "@paceline/protocol";
import { Broadcast, type BroadcastReceiver } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer.js";
import type { RoomParts } from "../room-mode.js";

/** Reliable messages to several pairs: each goes to all of its receivers or to none. */
export class PairMessages {
  readonly #peers: () => PeerConnection[];
  readonly #broadcast: Broadcast;

  constructor(parts: RoomParts, peers: () => PeerConnection[]) {
    this.#peers = peers;
    this.#broadcast = new Broadcast(parts);
  }

  /**
   * Sends a reliable message of the game to all of them, or to none: throws {@link NetError} `limit/queue` where one has
   * too much without receipt already. A pair for which that goes on for long begins again.
   */
  post(payload: PeerPayload, receivers: readonly PeerConnection[]): void {
    const bytes = writePeerPayload(payload);
    const isFull = ({ session }: PeerConnection): boolean =>
      !session.isClosed && !session.hasRoomFor(bytes, limits.pairQueueBytes);
    for (const peer of receivers) if (peer.isUnproven && isFull(peer)) peer.giveUp("still takes nothing");
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

  /** One body for all who are reached through the relay, where they are several. */
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
    for (const { session } of alone) session.sendReliable(payload);
  }

  /** Sends at once what waits for others to share its packet. */
  flush(): void {
    this.#broadcast.flush();
    for (const { session } of this.#peers()) session.flush();
  }

  /**
   * Sends to all what keeps their view of own entities whole. It may take the rest of the session's limit; a pair that has
   * no room even so begins again, and is told of everything then.
   */
  postStates(payload: PeerPayload): void {
    const bytes = writePeerPayload(payload);
    for (const peer of this.#peers()) {
      if (!peer.session.hasRoomFor(bytes, limits.sessionQueueBytes))
        peer.giveUp("takes nothing that is sent to it");
    }
    this.#send(
      bytes,
      this.#peers().filter(({ session }) => !session.isClosed),
    );
  }

  /** Sends a bulk message to all of them, or to none if it is too much for one. */
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
