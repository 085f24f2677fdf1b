import { ConfigError, limits } from "@paceline/protocol";

/** Bytes for the headers of a packet and of one reliable message. */
export const PACKET_OVERHEAD_BYTES = 32;

/** The longest payload of a reliable message. */
export const MAX_PAYLOAD_BYTES = limits.reliablePacketBytes - PACKET_OVERHEAD_BYTES;
/** The longest body of an event, which must fit one unreliable packet. */
export const MAX_EVENT_BYTES = limits.unreliablePacketBytes - PACKET_OVERHEAD_BYTES;

/** Throws {@link ConfigError} if a message is too long. `advice` is an alternative for the error's text. */
export function assertBytes(field: string, bytes: number, max: number, advice = ""): void {
  if (bytes > max) throw new ConfigError(field, `${bytes} bytes`, `at most ${max} bytes${advice}`);
}

/** Throws {@link ConfigError} for a reliable message that is too long. */
export function assertMessageBytes(bytes: number): void {
  assertBytes("message", bytes, MAX_PAYLOAD_BYTES, ', or more with { class: "bulk" }');
}

/** Throws {@link ConfigError} for an event that is too long. */
export function assertEventBytes(bytes: number): void {
  assertBytes("event", bytes, MAX_EVENT_BYTES);
}

/** Bytes of a bulk fragment's payload. With its id and flags it fits one unreliable packet. */
export const BULK_FRAGMENT_BYTES = MAX_EVENT_BYTES - 3;
/** Flag of the fragment that ends its message. */
export const LAST_FRAGMENT = 1;
