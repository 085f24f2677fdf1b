import { ByteWriter, writeEnvelope, type TrafficClassName } from "@paceline/protocol";
import { mayBeLost, newLinkCounters, type Link, type LinkHandlers, type LinkState } from "../link.js";
import type { Scheduler } from "../scheduler.js";

/** What leads to the server: a session, which may have one link for some classes of traffic and one for others. */
export interface Uplink {
  /** The link that carries such traffic now. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** Bytes that wait for it. */
  readonly queuedBytes: number;
  /** Sends a whole packet among the session's own, with the promises of its class. */
  forward(trafficClass: TrafficClassName, packet: Uint8Array, key?: number, lifetimeMs?: number): void;
}

export interface RelayedLinkOptions {
  readonly scheduler: Scheduler;
  readonly uplink: Uplink;
  /** The other participant. */
  readonly peerNumber: number;
  /** Of the pair's session. */
  readonly epoch?: number;
}

/** While so much waits in the uplink, reliable messages wait in the pair's own session. */
const COMMAND_ROOM_BYTES = 262_144;
const BULK_ROOM_BYTES = 8192;
/** A pair's keys are its own: two pairs may use the same ones, and share the uplink. */
const KEYS_PER_PEER = 0x10000;

/**
 * A path to another participant through the relay: packets travel in envelopes over the links to the server, and
 * their queues are its own. Its owner ends it when the server is out of reach.
 */
export class RelayedLink implements Link {
  readonly kind = "relayed";
  readonly tellsRoom = true;
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
    return this.#uplink.queuedBytes;
  }

  /** The queue is the uplink's, which decides what leaves first; only what is reliable must not fill it. */
  hasRoom(trafficClass: TrafficClassName): boolean {
    if (mayBeLost(trafficClass)) return true;
    return this.#uplink.queuedBytes < (trafficClass === "bulk" ? BULK_ROOM_BYTES : COMMAND_ROOM_BYTES);
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
    writeEnvelope(this.#writer.reset(), {
      trafficClass,
      key,
      epoch: this.#epoch,
      peers: [this.#peerNumber],
      packet,
      // A game's event has a lifetime, a ping has none.
      isPrompt: lifetimeMs !== undefined || trafficClass === "command" || trafficClass === "input",
    });
    this.countShared(packet.length);
    const uplinkKey = key === 0 ? 0 : this.#peerNumber * KEYS_PER_PEER + key;
    this.#uplink.forward(trafficClass, this.#writer.take(), uplinkKey, lifetimeMs);
  }

  /** Counts a packet that went out, in an envelope of its own or in one to several participants. */
  countShared(packetBytes: number): void {
    this.counters.packetsSent += 1;
    this.counters.bytesSent += packetBytes;
  }

  /** A packet of that participant came out of an envelope. */
  deliver(packet: Uint8Array): void {
    if (this.countReceived(packet.length)) this.#handlers?.onPacket(packet);
  }

  /** Counts one; false where the link is closed and takes no more. */
  countReceived(packetBytes: number): boolean {
    if (this.#state === "closed") return false;
    this.counters.packetsReceived += 1;
    this.counters.bytesReceived += packetBytes;
    return true;
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
