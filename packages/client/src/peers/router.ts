import { readEnvelope, type DropReason, type Envelope } from "@paceline/protocol";
import type { RelayedLink, Session } from "@paceline/transport";
import type { EarlyTasks } from "../connection/early-tasks.js";

export interface Channel {
  readonly session: Session;
  /**
   * Returns the link that receives the envelope's content, or undefined if the envelope belongs to another
   * epoch of the pair.
   */
  admit(envelope: Envelope): RelayedLink | undefined;
}

interface RouterOptions {
  /** Holds packets until the game can listen. */
  readonly early: EarlyTasks;
  /** Called for every packet, before it is read. */
  onPacket(this: void): void;
  onDropped(this: void, reason: DropReason): void;
}

/** Passes packets from the server to the channel of their sender. */
export class Router {
  readonly #channels = new Map<number, Channel>();
  readonly #early: EarlyTasks;
  readonly #onPacket: () => void;
  readonly #onDropped: (reason: DropReason) => void;

  constructor({ early, onPacket, onDropped }: RouterOptions) {
    this.#early = early;
    this.#onPacket = onPacket;
    this.#onDropped = onDropped;
  }

  add(number: number, channel: Channel): void {
    this.#channels.set(number, channel);
  }

  remove(number: number): void {
    this.#channels.delete(number);
  }

  /** Bound, so that a session's packet gets here in one call. */
  readonly receive = (packet: Uint8Array): void => {
    this.#onPacket();
    if (!this.#early.isOpen("game")) {
      if (!this.#early.run("game", () => this.receive(packet))) this.#onDropped("queue-full");
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
}
