import { ByteReader, ByteWriter, decodeUtf8, encodeUtf8, truncateUtf8 } from "@paceline/protocol";
import type { LinkClose } from "../link.js";

/** Bytes of a pong: the ping's number, and the clock. */
export const PONG_BYTES = 2 + 6;

/** Returns the pong to a ping, with this side's time. */
export function pongTo(ping: Uint8Array, nowMs: number): Uint8Array {
  const clockUs = Math.round(nowMs * 1000);
  return new ByteWriter(PONG_BYTES)
    .bytes(ping)
    .u32(clockUs % 2 ** 32)
    .u16(Math.floor(clockUs / 2 ** 32) % 2 ** 16)
    .view();
}

export function readPong(body: Uint8Array): { readonly number: number; readonly remoteMs: number } {
  const reader = new ByteReader(body);
  return { number: reader.u16(), remoteMs: (reader.u32() + reader.u16() * 2 ** 32) / 1000 };
}

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
