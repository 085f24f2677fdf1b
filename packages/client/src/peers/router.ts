import { readEnvelope, type DropReason, type Envelope } from "@paceline/protocol";
import type { RelayedLink, Session } from "@paceline/transport";

export interface Channel {
  readonly session: Session;
  /**
   * Returns the link that receives the envelope's content, or undefined if the envelope belongs to another
   * epoch of the pair.
   */
  admit(envelope: Envelope): RelayedLink | undefined;
}

/** Passes packets from the server to the channel of their sender. */
export class Router {
  readonly #channels = new Map<number, Channel>();
  readonly #onDropped: (reason: DropReason) => void;

  constructor(onDropped: (reason: DropReason) => void) {
    this.#onDropped = onDropped;
  }

  add(number: number, channel: Channel): void {
    this.#channels.set(number, channel);
  }

  remove(number: number): void {
    this.#channels.delete(number);
  }

  receive(packet: Uint8Array): void {
    const envelope = readEnvelope(packet);
    if (typeof envelope === "string") return this.#onDropped(envelope);
    const { peers, packet: inner, firstIds } = envelope;
    const channel = peers.length === 1 ? this.#channels.get(peers[0]!) : undefined;
    if (!channel) return this.#onDropped("not-routable");
    const link = channel.admit(envelope);
    if (!link) this.#onDropped("outdated");
    else if (!firstIds) link.received(inner);
    else if (link.countReceived(inner.length)) channel.session.receiveBroadcast(link, firstIds[0]!, inner);
  }
}
