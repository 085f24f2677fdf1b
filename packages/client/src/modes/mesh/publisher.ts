import {
  ByteWriter,
  MessageKind,
  limits,
  messageBytes,
  nextSequence,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  type Envelope,
} from "@paceline/protocol";
import type { Uplink } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer.js";

/** The only entity of a packet. */
export interface LoneEntity {
  /** Of packets that may replace each other; not 0. */
  readonly key: number;
  /** The room-wide one. */
  readonly id: number;
}

/** Header of a published packet. */
const PACKET_HEAD_BYTES = 7;

/**
 * Sends states and events to everyone: each packet is encoded once, goes once over every direct link, and once to the
 * server for all peers that are reached through it. Bodies of one tick share packets.
 */
export class Publisher {
  readonly #packet = new ByteWriter(1280);
  readonly #envelope = new ByteWriter(1440);
  #sequence = 0;
  #length = 0;
  #states = 0;
  #bodies = 0;
  #alone: LoneEntity | undefined;

  /**
   * Takes a body of states for the tick's packets.
   *
   * @param alone the entity, where the body is about one alone: a later packet about it replaces this one
   */
  add(
    body: Uint8Array,
    tick: number,
    states: number,
    alone: LoneEntity | undefined,
    flush: () => void,
  ): void {
    if (this.#bodies > 0 && this.#length + messageBytes(body.length) > limits.unreliablePacketBytes) flush();
    if (this.#bodies === 0) {
      this.#begin(tick);
      this.#length = PACKET_HEAD_BYTES;
    }
    writeMessage(this.#packet, MessageKind.state, body);
    this.#length += messageBytes(body.length);
    // Only a packet about one entity may replace an older one about the same entity.
    this.#alone = this.#bodies === 0 ? alone : undefined;
    this.#bodies += 1;
    this.#states += states;
  }

  /** Sends what was taken. Returns the packet's bytes. */
  flush(receivers: readonly PeerConnection[], uplink: Uplink | undefined): number {
    if (this.#bodies === 0) return 0;
    const packet = this.#packet.take();
    for (const peer of receivers) peer.meter.countUpdatesOut(this.#states);
    const subject = this.#alone && { entity: this.#alone.id, sequence: (this.#sequence - 1) & 0xffff };
    this.#send(receivers, uplink, { trafficClass: "state", packet, key: this.#alone?.key ?? 0, subject });
    this.#bodies = 0;
    this.#states = 0;
    return packet.length;
  }

  /** Sends events in as few packets as fit; those that could not leave within `lifetimeMs` are dropped. */
  events(
    bodies: readonly Uint8Array[],
    tick: number,
    receivers: readonly PeerConnection[],
    uplink: Uplink | undefined,
    lifetimeMs: number,
  ): void {
    for (let next = 0; next < bodies.length;) {
      this.#begin(tick);
      let bytes = PACKET_HEAD_BYTES;
      const first = next;
      for (; next < bodies.length; next++) {
        const body = bodies[next]!;
        bytes += messageBytes(body.length);
        if (next > first && bytes > limits.unreliablePacketBytes) break;
        writeMessage(this.#packet, MessageKind.event, body);
      }
      const envelope = {
        trafficClass: "event",
        packet: this.#packet.take(),
        key: 0,
        isPrompt: true,
      } as const;
      this.#send(receivers, uplink, envelope, lifetimeMs);
    }
  }

  /** The next packet: what was taken for the one before has been sent. */
  #begin(tick: number): void {
    writePacketHeader(this.#packet.reset(), { sequence: this.#sequence, tick, isPublished: true });
    this.#sequence = nextSequence(this.#sequence);
  }

  /** Over every direct link, and in as few envelopes as name all others. */
  #send(
    receivers: readonly PeerConnection[],
    uplink: Uplink | undefined,
    envelope: Omit<Envelope, "peers">,
    lifetimeMs?: number,
  ): void {
    const { trafficClass, packet, key } = envelope;
    const relayed: number[] = [];
    for (const peer of receivers) {
      const viaRelay = peer.relayedState;
      if (viaRelay) {
        relayed.push(peer.sessionNumber);
        viaRelay.countSent(packet.length);
      } else peer.session.forward(trafficClass, packet, key, lifetimeMs);
    }
    for (let first = 0; uplink && first < relayed.length; first += limits.envelopeTargets) {
      const peers = relayed.slice(first, first + limits.envelopeTargets);
      writeEnvelope(this.#envelope.reset(), { ...envelope, peers });
      uplink.forward(trafficClass, this.#envelope.take(), first === 0 ? key : 0, lifetimeMs);
    }
  }
}
