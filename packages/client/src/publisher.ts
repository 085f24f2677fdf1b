import {
  ByteWriter,
  MessageKind,
  limits,
  messageBytes,
  nextSequence,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
} from "@paceline/protocol";
import type { Link } from "@paceline/transport";
import type { PeerConnection } from "./peer.js";

/** Header of a published packet. */
const PACKET_HEAD_BYTES = 7;

/**
 * Sends states to everyone: each packet is encoded once, goes once over every direct link, and once to the server
 * for all peers that are reached through it. Bodies of one tick share packets.
 */
export class Publisher {
  readonly #packet = new ByteWriter(1280);
  readonly #envelope = new ByteWriter(1440);
  #sequence = 0;
  #length = 0;
  #states = 0;
  #bodies = 0;
  #key = 0;

  /**
   * Takes a body of states for the tick's packets.
   *
   * @param key of the entity, where the body is about one alone: a later packet about it replaces this one
   */
  add(body: Uint8Array, tick: number, states: number, key: number, flush: () => void): void {
    if (this.#bodies > 0 && this.#length + messageBytes(body.length) > limits.unreliablePacketBytes) flush();
    if (this.#bodies === 0) {
      writePacketHeader(this.#packet.reset(), { sequence: this.#sequence, tick, isPublished: true });
      this.#sequence = nextSequence(this.#sequence);
      this.#length = PACKET_HEAD_BYTES;
    }
    writeMessage(this.#packet, MessageKind.state, body);
    this.#length += messageBytes(body.length);
    // Only a packet about one entity may replace an older one about the same entity.
    this.#key = this.#bodies === 0 ? key : 0;
    this.#bodies += 1;
    this.#states += states;
  }

  /** Sends what was taken. Returns the packet's bytes. */
  flush(receivers: readonly PeerConnection[], uplink: Link | undefined): number {
    if (this.#bodies === 0) return 0;
    const packet = this.#packet.take();
    const key = this.#key;
    const relayed: number[] = [];
    for (const peer of receivers) {
      peer.meter.countUpdatesOut(this.#states);
      const viaRelay = peer.relayedState;
      if (viaRelay) {
        relayed.push(peer.number);
        viaRelay.countShared(packet.length);
      } else peer.session.activeLink?.send("state", packet, key);
    }
    this.#bodies = 0;
    this.#states = 0;
    if (uplink) this.#relay(packet, key, relayed, uplink);
    return packet.length;
  }

  #relay(packet: Uint8Array, key: number, relayed: readonly number[], uplink: Link): void {
    for (let first = 0; first < relayed.length; first += limits.envelopeTargets) {
      const targets = relayed.slice(first, first + limits.envelopeTargets);
      writeEnvelope(this.#envelope.reset(), { trafficClass: "state", key, peers: targets, packet });
      uplink.send("state", this.#envelope.take(), first === 0 ? key : 0);
    }
  }
}
