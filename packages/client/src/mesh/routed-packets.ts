import { isRouted, readEnvelope, type DropReason, type Envelope } from "@paceline/protocol";

const MAX_EARLY_PACKETS = 1024;

interface RoutedPacketsOptions {
  /** Hands what the peer with that number has sent over; a reason where it was dropped. */
  deliver(number: number, envelope: Envelope): DropReason | undefined;
  onDropped(reason: DropReason): void;
}

/**
 * Packets of peers, in their envelopes. They may come together with the welcome, before the game that waits for the join
 * can listen: they are held back until the game has had its turn.
 */
export class RoutedPackets {
  readonly #options: RoutedPacketsOptions;
  /** Undefined once the game can listen. */
  #early: Uint8Array[] | undefined = [];

  constructor(options: RoutedPacketsOptions) {
    this.#options = options;
  }

  receive(packet: Uint8Array): void {
    if (!this.#early) return this.#deliver(packet);
    if (this.#early.length < MAX_EARLY_PACKETS) this.#early.push(packet);
    else this.#options.onDropped("queue-full");
  }

  /** The game listens. */
  release(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const packet of early) this.#deliver(packet);
  }

  #deliver(packet: Uint8Array): void {
    const drop = (reason: DropReason): void => this.#options.onDropped(reason);
    const envelope = isRouted(packet) ? readEnvelope(packet) : "flags";
    if (typeof envelope === "string") return drop(envelope);
    const { peers } = envelope;
    if (peers.length !== 1) return drop("not-routable");
    const reason = this.#options.deliver(peers[0]!, envelope);
    if (reason) drop(reason);
  }
}
