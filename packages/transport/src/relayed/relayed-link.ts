import { writeEnvelopeHead, type ByteWriter, type TrafficClassName } from "@paceline/protocol";
import { mayBeLost, type Link } from "../link.js";
import { PathLink } from "../path-link.js";
import type { Scheduler } from "../scheduler.js";
import { packetOf } from "./fan-out.js";

/** A session with the server. It may use different links for different traffic classes. */
export interface Uplink {
  /** Returns the link that carries this class. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** Bytes that wait in the session. */
  readonly queuedBytes: number;
  /** Takes whole packets among the session's own, with the delivery of their class. */
  readonly outbox: {
    forward(trafficClass: TrafficClassName, packet: Uint8Array, key?: number, lifetimeMs?: number): void;
  };
}

export interface RelayedLinkOptions {
  readonly scheduler: Scheduler;
  readonly uplink: Uplink;
  /** Number of the other participant at the relay. */
  readonly peerNumber: number;
  /** Epoch of the pair's session. */
  readonly epoch?: number;
}

/** If this many bytes wait in the uplink, reliable messages wait in the pair's own session. */
const COMMAND_ROOM_BYTES = 262_144;
const BULK_ROOM_BYTES = 8192;
/**
 * Number of keys of a pair. The uplink's keys contain the peer's number, because pairs may use the same keys.
 */
const KEYS_PER_PEER = 0x10000;

/**
 * A path to another participant through the relay. Packets travel in envelopes over the links to the server,
 * and wait in their queues. The owner closes the link if the server is out of reach.
 */
export class RelayedLink extends PathLink {
  readonly kind = "relayed";
  readonly reportsRoom = true;
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

  /**
   * Returns true if the uplink takes more of this class. The uplink decides what leaves first, and only
   * reliable packets could fill its queue.
   */
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

  /** Writes the head of an envelope for {@link enter}. The packet follows it. */
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
   * Counts a packet of `packetBytes` bytes that the caller has written after its head. Returns the outbox
   * for the envelope, which is then neither copied nor filtered. Returns undefined if the server is out of
   * reach.
   */
  enter(trafficClass: TrafficClassName, packetBytes: number): Uplink["outbox"] | undefined {
    const outbox = this.state === "open" ? this.#outboxFor(trafficClass) : undefined;
    if (outbox) this.countSent(packetBytes);
    else this.counters.packetsDropped += 1;
    return outbox;
  }

  /** Returns the uplink's key for a key of this pair. */
  uplinkKey(key: number): number {
    return key === 0 ? 0 : this.#peerNumber * KEYS_PER_PEER + key;
  }

  #outboxFor(trafficClass: TrafficClassName): Uplink["outbox"] | undefined {
    return this.#uplink.linkFor(trafficClass)?.state === "open" ? this.#uplink.outbox : undefined;
  }
}
