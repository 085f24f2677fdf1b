import { crc32 } from "node:zlib";

/** Begins every save: "PLRS". */
const MAGIC = [0x50, 0x4c, 0x52, 0x53] as const;
/** Version of the envelope. What is inside has a version of its own. */
const ENVELOPE_VERSION = 1;
const CHECKSUM_AT = 23;
const HEAD_BYTES = 27;
/** The checksum of more bytes than these is computed in turns, so that it delays no tick. */
const SLICE_BYTES = 256 * 1024;

/** Facts that an envelope states beside its content. */
interface SaveStamp {
  /** Rises with each save of a room. Tells which of two is newer, since a clock may go back. */
  readonly sequence: number;
  /** The wall clock when it was saved, ms since 1970: for people only. */
  readonly savedAtMs: number;
}

/** A save whose envelope is whole. */
export interface OpenedSave extends SaveStamp {
  readonly id: string;
  /** Version of the envelope. */
  readonly version: number;
  readonly checksum: number;
  /** The content, as the room gave it. A view of what was opened. */
  readonly bytes: Uint8Array;
}

/** Why an envelope cannot be opened, as the end of a sentence. */
interface EnvelopeFault {
  readonly fault: string;
}

/**
 * Copies the content into an envelope without a stamp. The caller may then use its buffer again. See
 * docs/SAVED-ROOMS.md for the bytes.
 */
export function newEnvelope(id: string, content: Uint8Array): Uint8Array {
  const idBytes = Buffer.from(id);
  const envelope = Buffer.allocUnsafeSlow(HEAD_BYTES + idBytes.length + content.length);
  envelope.fill(0, 0, HEAD_BYTES);
  envelope.set(MAGIC);
  envelope[4] = ENVELOPE_VERSION;
  envelope.writeUInt16LE(idBytes.length, 5);
  envelope.writeUInt32LE(content.length, 19);
  envelope.set(idBytes, HEAD_BYTES);
  envelope.set(content, HEAD_BYTES + idBytes.length);
  return envelope;
}

/** Writes the stamp and the checksum. */
export async function sealEnvelope(envelope: Uint8Array, stamp: SaveStamp): Promise<void> {
  const view = bufferOf(envelope);
  view.writeUIntLE(stamp.sequence, 7, 6);
  view.writeUIntLE(stamp.savedAtMs, 13, 6);
  let checksum = crc32(view.subarray(0, CHECKSUM_AT));
  for (let at = HEAD_BYTES; at < view.length; at += SLICE_BYTES) {
    if (at > HEAD_BYTES) await new Promise(setImmediate);
    checksum = crc32(view.subarray(at, at + SLICE_BYTES), checksum);
  }
  view.writeUInt32LE(checksum, CHECKSUM_AT);
}

/** Opens an envelope. Any bytes may come: a fault says what is wrong with them. */
export function openEnvelope(bytes: Uint8Array): OpenedSave | EnvelopeFault {
  const view = bufferOf(bytes);
  if (MAGIC.some((byte, at) => view[at] !== byte)) return { fault: "it is not a saved room" };
  const version = view[4];
  if (version !== undefined && version !== ENVELOPE_VERSION) {
    return { fault: `it is of version ${version}, and this server reads version ${ENVELOPE_VERSION}` };
  }
  if (view.length < HEAD_BYTES) return { fault: `it ends after ${view.length} bytes` };
  const contentAt = HEAD_BYTES + view.readUInt16LE(5);
  const length = contentAt + view.readUInt32LE(19);
  if (view.length !== length) {
    return { fault: `it has ${view.length} bytes, and says that it has ${length}` };
  }
  const checksum = view.readUInt32LE(CHECKSUM_AT);
  if (crc32(view.subarray(HEAD_BYTES), crc32(view.subarray(0, CHECKSUM_AT))) !== checksum) {
    return { fault: "its checksum is wrong" };
  }
  return {
    id: view.toString("utf8", HEAD_BYTES, contentAt),
    version: ENVELOPE_VERSION,
    sequence: view.readUIntLE(7, 6),
    savedAtMs: view.readUIntLE(13, 6),
    checksum,
    bytes: bytes.subarray(contentAt),
  };
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
