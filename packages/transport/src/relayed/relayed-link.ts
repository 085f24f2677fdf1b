import { ByteWriter, writeEnvelope, type TrafficClassName } from "@paceline/protocol";
import { newLinkCounters, type Link, type LinkHandlers, type LinkState } from "../link.js";
import type { Scheduler } from "../scheduler.js";

export interface RelayedLinkOptions {
  readonly scheduler: Scheduler;
  /** The link to the server. */
  readonly uplink: Link;
  /** The other participant. */
  readonly peerNumber: number;
}

/**
 * A path to another participant through the relay: packets travel in envelopes over the link to the server, and
 * its queue is theirs. It lives as long as that link.
 */
export class RelayedLink implements Link {
  readonly kind = "relayed";
  readonly counters = newLinkCounters();
  readonly #scheduler: Scheduler;
  readonly #uplink: Link;
  readonly #peerNumber: number;
  readonly #writer = new ByteWriter(1280);
  #state: LinkState = "connecting";
  #handlers: LinkHandlers | undefined;

  constructor({ scheduler, uplink, peerNumber }: RelayedLinkOptions) {
    this.#scheduler = scheduler;
    this.#uplink = uplink;
    this.#peerNumber = peerNumber;
  }

  get state(): LinkState {
    return this.#state;
  }

  get isUnreliable(): boolean {
    return this.#uplink.isUnreliable;
  }

  get queuedBytes(): number {
    return this.#uplink.queuedBytes;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    this.#scheduler.after(0, () => {
      if (this.#state !== "connecting") return;
      this.#state = "open";
      handlers.onOpen();
    });
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, key = 0): void {
    if (this.#state === "closed" || this.#uplink.state !== "open") {
      this.counters.packetsDropped += 1;
      return;
    }
    const envelope = { trafficClass, key, peers: [this.#peerNumber], packet };
    writeEnvelope(this.#writer.reset(), envelope);
    this.counters.packetsSent += 1;
    this.counters.bytesSent += packet.length;
    this.#uplink.send(trafficClass, this.#writer.take(), key);
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
