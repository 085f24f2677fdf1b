import { ByteReader, ByteWriter, decodeUtf8, encodeUtf8, truncateUtf8 } from "@paceline/protocol";
import type { LinkClose } from "../link.js";

const MAX_REASON_BYTES = 300;

/** Returns the body of the message that ends a session. */
export function writeCloseBody({ code, reason }: LinkClose): Uint8Array {
  return new ByteWriter(64)
    .u16(code)
    .bytes(encodeUtf8(truncateUtf8(reason, MAX_REASON_BYTES)))
    .view();
}

/** Reads the body of that message. Returns undefined if it is malformed. */
export function readCloseBody(body: Uint8Array): LinkClose | undefined {
  const reader = new ByteReader(body);
  const code = reader.u16();
  const reason = decodeUtf8(reader.rest()) ?? "";
  return reader.ok ? { code, reason } : undefined;
}
