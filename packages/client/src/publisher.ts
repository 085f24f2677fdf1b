import {
  ByteWriter,
  MessageKind,
  limits,
  nextSequence,
  stateBytes,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  writeState,
} from "@paceline/protocol";
import type { PublicationPolicy } from "@paceline/netcode";
import type { Link, Plan } from "@paceline/transport";
import type { OwnedRecord } from "./owned-entities.js";
import type { PeerConnection } from "./peer.js";

/** So that a lost update is soon made good. */
const MOVING_HEARTBEAT_MS = 300;
/** Header of a published packet, and kind and length of its one message. */
const PACKET_OVERHEAD_BYTES = 7 + 4;

/**
 * Sends states to everyone: each packet is encoded once, goes once over every direct link, and once to the server
 * for all peers that are reached through it.
 */
export class Publisher {
  readonly #body = new ByteWriter(1280);
  readonly #packet = new ByteWriter(1280);
  readonly #envelope = new ByteWriter(1440);
  #sequence = 0;

  publish(
    due: readonly OwnedRecord[],
    tick: number,
    peers: Iterable<PeerConnection>,
    uplink: Link | undefined,
  ): void {
    const receivers = [...peers];
    let batch: OwnedRecord[] = [];
    let bytes = PACKET_OVERHEAD_BYTES;
    for (const record of due) {
      const more = stateBytes(record.definition);
      if (batch.length > 0 && bytes + more > limits.unreliablePacketBytes) {
        this.#send(batch, tick, receivers, uplink);
        batch = [];
        bytes = PACKET_OVERHEAD_BYTES;
      }
      batch.push(record);
      bytes += more;
    }
    if (batch.length > 0) this.#send(batch, tick, receivers, uplink);
  }

  #send(
    batch: readonly OwnedRecord[],
    tick: number,
    receivers: readonly PeerConnection[],
    uplink: Link | undefined,
  ): void {
    const packet = this.#encode(batch, tick);
    // Only a packet about one entity may replace an older one about the same entity.
    const key = batch.length === 1 ? batch[0]!.localId + 1 : 0;
    const relayed: number[] = [];
    for (const peer of receivers) {
      peer.meter.countUpdatesOut(batch.length);
      const viaRelay = peer.relayedState;
      if (viaRelay) {
        relayed.push(peer.number);
        viaRelay.countShared(packet.length);
      } else peer.session.activeLink?.send("state", packet, key);
    }
    if (!uplink) return;
    for (let first = 0; first < relayed.length; first += limits.envelopeTargets) {
      const targets = relayed.slice(first, first + limits.envelopeTargets);
      writeEnvelope(this.#envelope.reset(), { trafficClass: "state", key, peers: targets, packet });
      uplink.send("state", this.#envelope.take(), first === 0 ? key : 0);
    }
  }

  #encode(batch: readonly OwnedRecord[], tick: number): Uint8Array {
    this.#body.reset();
    for (const { localId, place } of batch) writeState(this.#body, localId, place.table.stateOf(place.row));
    writePacketHeader(this.#packet.reset(), { sequence: this.#sequence, tick, isPublished: true });
    writeMessage(this.#packet, MessageKind.state, this.#body.view());
    this.#sequence = nextSequence(this.#sequence);
    return this.#packet.take();
  }
}

/** When to send, by the plan and by what the paths to the others are like. */
export function publicationPolicy(
  { numbers, style }: Plan,
  paths: Pick<PublicationPolicy, "horizonMs" | "repeatAfterMs">,
): PublicationPolicy {
  return {
    minIntervalMs: 1000 / numbers.stateHz,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: Math.min(numbers.extrapolationLimitMs * 0.6, MOVING_HEARTBEAT_MS),
    positionThresholdM: numbers.thresholdM,
    headingThresholdRad: numbers.headingRad,
    isInterpolated: style === "interpolation",
    ...paths,
  };
}
