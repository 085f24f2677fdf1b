import { ByteWriter, writeEnvelope, type TrafficClassName } from "@paceline/protocol";
import { newLinkCounters, type Link, type LinkHandlers, type LinkState } from "../link.js";
import type { Scheduler } from "../scheduler.js";

/** What leads to the server: a session, which may have one link for some classes of traffic and one for others. */
export interface Uplink {
  /** The link that carries such traffic now. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
}

export interface RelayedLinkOptions {
  readonly scheduler: Scheduler;
  readonly uplink: Uplink;
  /** The other participant. */
  readonly peerNumber: number;
  /** Of the pair's session. */
  readonly epoch?: number;
}

/**
 * A path to another participant through the relay: packets travel in envelopes over the links to the server, and
 * their queues are its own. Its owner ends it when the server is out of reach.
 */
export class RelayedLink implements Link {
  readonly kind = "relayed";
  readonly counters = newLinkCounters();
  readonly #scheduler: Scheduler;
  readonly #uplink: Uplink;
  readonly #peerNumber: number;
  readonly #epoch: number;
  readonly #writer = new ByteWriter(1280);
  #state: LinkState = "connecting";
  #handlers: LinkHandlers | undefined;

  constructor({ scheduler, uplink, peerNumber, epoch = 0 }: RelayedLinkOptions) {
    this.#scheduler = scheduler;
    this.#uplink = uplink;
    this.#peerNumber = peerNumber;
    this.#epoch = epoch;
  }

  get state(): LinkState {
    return this.#state;
  }

  get isUnreliable(): boolean {
    return this.#uplink.linkFor("state")?.isUnreliable ?? false;
  }

  get queuedBytes(): number {
    const links = new Set([this.#uplink.linkFor("state"), this.#uplink.linkFor("command")]);
    let bytes = 0;
    for (const link of links) bytes += link?.queuedBytes ?? 0;
    return bytes;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    this.#scheduler.after(0, () => {
      if (this.#state !== "connecting") return;
      this.#state = "open";
      handlers.onOpen();
    });
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, key = 0, lifetimeMs?: number): void {
    const link = this.#state === "closed" ? undefined : this.#uplink.linkFor(trafficClass);
    if (link?.state !== "open") {
      this.counters.packetsDropped += 1;
      return;
    }
    const envelope = { trafficClass, key, epoch: this.#epoch, peers: [this.#peerNumber], packet };
    writeEnvelope(this.#writer.reset(), envelope);
    this.counters.packetsSent += 1;
    this.counters.bytesSent += packet.length;
    link.send(trafficClass, this.#writer.take(), key, lifetimeMs);
  }

  /** Counts a packet that went to several participants in one envelope. */
  countShared(packetBytes: number): void {
    this.counters.packetsSent += 1;
    this.counters.bytesSent += packetBytes;
  }

  /** A packet of that participant came out of an envelope. */
  deliver(packet: Uint8Array): void {
    if (this.#state === "closed") return;
    this.counters.packetsReceived += 1;
    this.counters.bytesReceived += packet.length;
    this.#handlers?.onPacket(packet);
  }

  close(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#scheduler.after(0, () => {
      const handlers = this.#handlers;
      this.#handlers = undefined;
      handlers?.onClose({ code, reason });
    });
  }
}
