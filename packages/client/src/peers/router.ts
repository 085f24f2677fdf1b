import { readEnvelope, type DropReason, type Envelope } from "@paceline/protocol";
import type { RelayedLink, Session } from "@paceline/transport";

const MAX_EARLY_PACKETS = 1e3;

export interface Channel {
  readonly session: Session;
  /**
   * Returns the link that receives the envelope's content, or undefined if the envelope belongs to another
   * epoch of the pair.
   */
  admit(envelope: Envelope): RelayedLink | undefined;
}

/**
 * Passes packets from the server to the channel of their sender. Packets may arrive together with the
 * welcome, before the game can listen: they wait until {@link release}.
 */
export class Router {
  readonly #channels = new Map<number, Channel>();
  readonly #onPacket: () => void;
  readonly #onDropped: (reason: DropReason) => void;
  /** Packets that wait; undefined once the game can listen. */
  #early: Uint8Array[] | undefined = [];

  /** `onPacket` is called for every packet, before it is read. */
  constructor(onPacket: () => void, onDropped: (reason: DropReason) => void) {
    this.#onPacket = onPacket;
    this.#onDropped = onDropped;
  }

  add(number: number, channel: Channel): void {
    this.#channels.set(number, channel);
  }

  remove(number: number): void {
    this.#channels.delete(number);
  }

  readonly receive = (packet: Uint8Array): void => {
    this.#onPacket();
    if (this.#early) {
      if (this.#early.length < MAX_EARLY_PACKETS) this.#early.push(packet);
      else this.#onDropped("queue-full");
      return;
    }
    const envelope = readEnvelope(packet);
    if (typeof envelope === "string") return this.#onDropped(envelope);
    const { peers, packet: inner, firstIds } = envelope;
    const channel = peers.length === 1 ? this.#channels.get(peers[0]!) : undefined;
    if (!channel) return this.#onDropped("not-routable");
    const link = channel.admit(envelope);
    if (!link) this.#onDropped("outdated");
    else if (!firstIds) link.received(inner);
    else if (link.countReceived(inner.length)) channel.session.receiveBroadcast(link, firstIds[0]!, inner);
  };

  /** Passes the waiting packets on, because the game can listen. */
  release(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const packet of early) this.receive(packet);
  }
}
