import { ByteReader, ByteWriter } from "@paceline/protocol";

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
