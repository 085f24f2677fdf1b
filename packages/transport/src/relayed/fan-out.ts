import { ByteWriter, limits, writeEnvelopeHead, type Envelope } from "@paceline/protocol";
import type { RelayedLink, Uplink } from "./relayed-link.js";

/** One of several participants that the relay reaches. */
export interface RelayedReceiver {
  /** Number of the participant at the relay. */
  readonly number: number;
  readonly link: RelayedLink;
  /** Id of a broadcast's first message in the session with this receiver. Each session counts its own. */
  readonly firstId?: number;
}

/** Size of the memory blocks for packets. A packet that waits keeps its whole block in memory. */
const SLAB_BYTES = 8192;
const writer = new ByteWriter(SLAB_BYTES);

/** Writes a packet and returns its bytes, which belong to the caller. */
export function packetOf(write: (writer: ByteWriter) => void): Uint8Array {
  write(writer.reset());
  return writer.release();
}

/**
 * Sends the packet that `write` writes to all receivers through the relay, in as few envelopes as possible.
 * Returns the packet in the last envelope, or undefined without receivers.
 */
export function fanOut(
  uplink: Uplink,
  receivers: readonly RelayedReceiver[],
  head: Omit<Envelope, "peers" | "packet">,
  write: (writer: ByteWriter) => void,
  lifetimeMs?: number,
): Uint8Array | undefined {
  let packet: Uint8Array | undefined;
  for (let first = 0; first < receivers.length; first += limits.envelopeTargets) {
    const named = receivers.slice(first, first + limits.envelopeTargets);
    const peers = named.map(({ number }) => number);
    const firstIds = named[0]?.firstId === undefined ? undefined : named.map(({ firstId }) => firstId!);
    let headBytes = 0;
    const envelope = packetOf((into) => {
      writeEnvelopeHead(into, { ...head, peers, firstIds });
      headBytes = into.length;
      write(into);
    });
    packet = envelope.subarray(headBytes);
    for (const { link } of named) link.countSent(packet.length);
    uplink.outbox.forward(head.trafficClass, envelope, first === 0 ? head.key : 0, lifetimeMs);
  }
  return packet;
}
