import { isRouted, readEnvelope, type DropReason } from "@paceline/protocol";
import type { PeerConnection } from "./peer.js";

interface RelayedPacketsOptions {
  peer(number: number): PeerConnection | undefined;
  onDropped(reason: DropReason): void;
}

const MAX_EARLY_PACKETS = 1024;

/**
 * What peers send through the server. It may come together with the welcome, before the game that waits for the join can
 * listen: it is held back until the game has had its turn.
 */
export class RelayedPackets {
  readonly #options: RelayedPacketsOptions;
  #early: Uint8Array[] | undefined = [];

  constructor(options: RelayedPacketsOptions) {
    this.#options = options;
  }

  receive(packet: Uint8Array): void {
    if (!this.#early) return this.#deliver(packet);
    if (this.#early.length < MAX_EARLY_PACKETS) this.#early.push(packet);
    else this.#options.onDropped("queue-full");
  }

  /** The game can listen. */
  release(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const packet of early) this.#deliver(packet);
  }

  #deliver(packet: Uint8Array): void {
    const envelope = isRouted(packet) ? readEnvelope(packet) : "flags";
    if (typeof envelope === "string") return this.#options.onDropped(envelope);
    const peer = this.#options.peer(envelope.peers[0]!);
    if (peer && envelope.peers.length === 1) peer.deliverRelayed(envelope.packet);
    else this.#options.onDropped("not-routable");
  }
}
