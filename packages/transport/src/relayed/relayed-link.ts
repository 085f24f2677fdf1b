import { writeEnvelopeHead, type ByteWriter, type TrafficClassName } from "@paceline/protocol";
import { mayBeLost, type Link } from "../link.js";
import { PathLink } from "../path-link.js";
import type { Scheduler } from "../scheduler.js";
import { packetOf } from "./fan-out.js";

/** The way to the server: a session, which may use different links for different classes of traffic. */
export interface Uplink {
  /** The link that carries such traffic now. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** Bytes that wait for it. */
  readonly queuedBytes: number;
  /** Takes whole packets among the session's own, with the promises of their class. */
  readonly outbox: {
    forward(trafficClass: TrafficClassName, packet: Uint8Array, key?: number, lifetimeMs?: number): void;
  };
}

export interface RelayedLinkOptions {
  readonly scheduler: Scheduler;
  readonly uplink: Uplink;
  /** The other participant. */
  readonly peerNumber: number;
  /** Epoch of the pair's session. */
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
export class RelayedLink extends PathLink {
  readonly kind = "relayed";
  readonly tellsRoom = true;
  readonly #uplink: Uplink;
  readonly #peerNumber: number;
  readonly #epoch: number;

  constructor({ scheduler, uplink, peerNumber, epoch = 0 }: RelayedLinkOptions) {
    super(scheduler);
    this.#uplink = uplink;
    this.#peerNumber = peerNumber;
    this.#epoch = epoch;
  }

  get isUnreliable(): boolean {
    return this.#uplink.linkFor("state")?.isUnreliable ?? false;
  }

  protected pathBytes(): number {
    return this.#uplink.queuedBytes;
  }

  /** The queue is the uplink's, which decides what leaves first; only what is reliable must not fill it. */
  protected pathHasRoom(trafficClass: TrafficClassName): boolean {
    if (mayBeLost(trafficClass)) return true;
    return this.#uplink.queuedBytes < (trafficClass === "bulk" ? BULK_ROOM_BYTES : COMMAND_ROOM_BYTES);
  }

  protected transmit(
    trafficClass: TrafficClassName,
    packet: Uint8Array,
    key: number,
    lifetimeMs?: number,
  ): boolean {
    const envelope = packetOf((writer) => {
      this.writeHead(writer, trafficClass, key, lifetimeMs);
      writer.bytes(packet);
    });
    const outbox = this.#outboxFor(trafficClass);
    outbox?.forward(trafficClass, envelope, this.uplinkKey(key), lifetimeMs);
    return outbox !== undefined;
  }

  /** Writes what stands before the packet in its envelope, for {@link enter}. */
  writeHead(writer: ByteWriter, trafficClass: TrafficClassName, key: number, lifetimeMs?: number): void {
    writeEnvelopeHead(writer, {
      trafficClass,
      key,
      epoch: this.#epoch,
      peers: [this.#peerNumber],
      // A game's event has a lifetime, a ping has none.
      isPrompt: lifetimeMs !== undefined || trafficClass === "command" || trafficClass === "input",
    });
  }

  /**
   * Counts a packet of so many bytes that was written behind its head. Returns the outbox that takes the envelope, which is
   * not copied then, and which no filter sees; undefined where the server is out of reach.
   */
  enter(trafficClass: TrafficClassName, packetBytes: number): Uplink["outbox"] | undefined {
    const outbox = this.state === "open" ? this.#outboxFor(trafficClass) : undefined;
    if (outbox) this.countSent(packetBytes);
    else this.counters.packetsDropped += 1;
    return outbox;
  }

  /** The uplink's key of what has that key in this pair. */
  uplinkKey(key: number): number {
    return key === 0 ? 0 : this.#peerNumber * KEYS_PER_PEER + key;
  }

  #outboxFor(trafficClass: TrafficClassName): Uplink["outbox"] | undefined {
    return this.#uplink.linkFor(trafficClass)?.state === "open" ? this.#uplink.outbox : undefined;
  }
}
