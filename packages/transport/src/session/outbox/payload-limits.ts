import { ConfigError, limits } from "@paceline/protocol";

/** Room for header and message head around one reliable payload. */
export const PACKET_OVERHEAD_BYTES = 32;

/** The longest payload of a reliable message. */
export const MAX_PAYLOAD_BYTES = limits.reliablePacketBytes - PACKET_OVERHEAD_BYTES;
/** The longest body of an event: it must fit one unreliable packet. */
export const MAX_EVENT_BYTES = limits.unreliablePacketBytes - PACKET_OVERHEAD_BYTES;

/** Throws {@link ConfigError} for what is too long to be sent; `advice`: what to do instead. */
export function assertBytes(field: string, bytes: number, max: number, advice = ""): void {
  if (bytes > max)
    throw new ConfigError({ field, value: `${bytes} bytes`, expected: `at most ${max} bytes${advice}` });
}

/** Id and flags stand before a chunk of bulk. */
export const BULK_HEAD_BYTES = 3;
/** The flag of a chunk that ends its message. */
export const LAST_CHUNK = 1;
