import { ByteReader, ByteWriter, decodeUtf8, encodeUtf8 } from "@paceline/protocol";
import type { LinkClose } from "../link.js";

const REASON_CHARACTERS = 100;

/** Body of the message by which a session says that it ends. */
export function writeCloseBody({ code, reason }: LinkClose): Uint8Array {
  return new ByteWriter(64)
    .u16(code)
    .bytes(encodeUtf8(reason.slice(0, REASON_CHARACTERS)))
    .view();
}

/** Undefined where it is malformed. */
export function readCloseBody(body: Uint8Array): LinkClose | undefined {
  const reader = new ByteReader(body);
  const code = reader.u16();
  const reason = decodeUtf8(reader.rest()) ?? "";
  return reader.ok ? { code, reason } : undefined;
}
