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

/** Bytes of a fragment of bulk behind its id and its flags, so that one fits an unreliable packet. */
export const BULK_FRAGMENT_BYTES = MAX_EVENT_BYTES - 3;
/** The flag of a fragment that ends its message. */
export const LAST_FRAGMENT = 1;
