import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { readPeerPayload, writePeerPayload, type StreamStart } from "./payload.js";

/** The newest announcement of a stream, with whole states of one tick: a server keeps it for newcomers. */
export interface Slot {
  readonly start: StreamStart;
  /** The tick, and whole states, as in a `reference`. Left out: the stream has no entities. */
  readonly states?: Uint8Array | undefined;
}

/** Returns the bytes of a slot. A server takes at most `limits.slotBytes` for all slots of a session. */
export function writeSlot({ start, states }: Slot): Uint8Array {
  const announcement = writePeerPayload({ kind: "stream", ...start });
  const writer = new ByteWriter().varint(announcement.length).bytes(announcement);
  if (states) writer.bytes(writePeerPayload({ kind: "reference", stream: start.stream, states }));
  return writer.take();
}

/**
 * Reads the bytes of {@link writeSlot}. Returns undefined if they are malformed, or if the states are not of the
 * announced stream.
 */
export function readSlot(bytes: Uint8Array): Slot | undefined {
  const reader = new ByteReader(bytes);
  const start = readPeerPayload(reader.bytes(reader.varint()));
  if (!reader.ok || start?.kind !== "stream" || start.entities) return undefined;
  if (reader.remaining === 0) return { start };
  const whole = readPeerPayload(reader.rest());
  const isWhole = whole?.kind === "reference" && whole.stream === start.stream;
  return isWhole ? { start, states: whole.states } : undefined;
}
