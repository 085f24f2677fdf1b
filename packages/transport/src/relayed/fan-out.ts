import { ByteWriter, limits, writeEnvelopeHead, type Envelope } from "@paceline/protocol";
import type { RelayedLink, Uplink } from "./relayed-link.js";

/** One of several participants that are reached through the relay. */
export interface RelayedReceiver {
  /** The relay's number of the participant. */
  readonly number: number;
  readonly link: RelayedLink;
  /** Number of the first message to it, in a broadcast. */
  readonly firstId?: number;
}

/** Memory of packets: one that waits somewhere keeps all that was written beside it. */
const SLAB_BYTES = 8192;
const writer = new ByteWriter(SLAB_BYTES);

/** Writes a packet and gives it away. */
export function packetOf(write: (writer: ByteWriter) => void): Uint8Array {
  write(writer.reset());
  return writer.release();
}

/**
 * Sends what `write` writes to all of them through the relay, in as few envelopes as name them. Returns the packet in the
 * last envelope; undefined where there was none.
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
