import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { limits } from "../errors/codes.js";
import { readPeerPayload, writePeerPayload, type PeerPayload } from "./payload.js";

/** A payload for newcomers: a stream, or whole states of one tick. */
export type RetainedPayload = Extract<PeerPayload, { readonly kind: "stream" | "reference" }>;

/** Returns the bytes that a server retains for newcomers, or undefined if they exceed its limit. */
export function writeRetained(payloads: readonly RetainedPayload[]): Uint8Array | undefined {
  const writer = new ByteWriter();
  for (const payload of payloads) {
    const bytes = writePeerPayload(payload);
    writer.varint(bytes.length).bytes(bytes);
  }
  const states = writer.take();
  return states.length <= limits.retainedBytes ? states : undefined;
}

/** Reads the bytes of {@link writeRetained}. Returns undefined if they are malformed. */
export function readRetained(states: Uint8Array): RetainedPayload[] | undefined {
  const reader = new ByteReader(states);
  const payloads: RetainedPayload[] = [];
  while (reader.ok && reader.remaining > 0) {
    const payload = readPeerPayload(reader.bytes(reader.varint()));
    if (payload?.kind !== "stream" && payload?.kind !== "reference") return undefined;
    payloads.push(payload);
  }
  return reader.ok ? payloads : undefined;
}
