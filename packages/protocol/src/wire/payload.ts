import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { PayloadKind } from "./message-kinds.js";
import { limits } from "../limits.js";
import { ConfigError } from "../errors/errors.js";
import { encodeUtf8 } from "../bytes/utf8.js";
import { decodeValue, encodeAfter, encodeItems, encodeItemsAfter } from "../bytes/value-codec.js";

/** Announces a stream: the states of all entities of one kind and one owner. */
export interface StreamStart {
  /** Number of 8 bits, used once during the session. */
  readonly stream: number;
  readonly name: string;
  /** Simulation steps per second of the owner, counted by its ticks. 1 to 255. */
  readonly tickHz: number;
  readonly schemaHash: number;
}

/** {@link StreamStart} as its owner sends it to another participant. */
export interface StreamAnnouncement extends StreamStart {
  /** Ids of the stream's entities. Left out: it has none. */
  readonly entities?: readonly number[] | undefined;
}

/** Limit of entities in one resync request. A receiver that lacks more requests all. */
export const MAX_RESYNCED = 64;

/** The payloads of reliable messages between two participants. */
export type PeerPayload =
  | { readonly kind: "command"; readonly type: string; readonly message: unknown }
  | { readonly kind: "request"; readonly id: number; readonly type: string; readonly message: unknown }
  | { readonly kind: "reply"; readonly id: number; readonly ok: boolean; readonly message: unknown }
  | ({ readonly kind: "stream" } & StreamAnnouncement)
  | { readonly kind: "reference"; readonly stream: number; readonly states: Uint8Array }
  | { readonly kind: "resync"; readonly stream: number; readonly entities: readonly number[] }
  /** Changes of lists and maps of a stream's entities. Empty: a request for their whole contents. */
  | { readonly kind: "changes"; readonly stream: number; readonly changes: Uint8Array }
  /** The sender's columns from `describeColumns`. Empty: a request for the receiver's columns. */
  | { readonly kind: "columns"; readonly stream: number; readonly columns: Uint8Array };

/**
 * Returns the bytes of a payload. Throws {@link ConfigError} for an invalid type, or a message that is not
 * plain data.
 */
export function writePeerPayload(payload: PeerPayload): Uint8Array {
  switch (payload.kind) {
    case "command":
      assertMessageType(payload.type);
      return encodeItemsAfter(PayloadKind.command, [payload.type, payload.message]);
    case "request":
      assertMessageType(payload.type);
      return encodeItemsAfter(PayloadKind.request, [payload.id, payload.type, payload.message]);
    case "reply":
      return encodeItemsAfter(PayloadKind.reply, [payload.id, payload.ok, payload.message]);
    case "stream":
      return writeStream(payload);
    case "reference":
      return new ByteWriter().u8(PayloadKind.reference).u8(payload.stream).bytes(payload.states).take();
    case "resync": {
      const writer = new ByteWriter().u8(PayloadKind.resync).u8(payload.stream);
      for (const id of payload.entities) writer.u16(id);
      return writer.take();
    }
    case "changes":
      return new ByteWriter().u8(PayloadKind.changes).u8(payload.stream).bytes(payload.changes).take();
    case "columns":
      return new ByteWriter().u8(PayloadKind.columns).u8(payload.stream).bytes(payload.columns).take();
  }
}

/**
 * Reads the bytes of {@link writePeerPayload}. Returns undefined if they are malformed.
 * @param onItems called with numbers of items of msgpack as they are read
 */
export function readPeerPayload(
  bytes: Uint8Array,
  onItems?: (items: number) => void,
): PeerPayload | undefined {
  const kind = bytes[0];
  const body = bytes.subarray(1);
  switch (kind) {
    case PayloadKind.command:
      return readEvent(body, onItems);
    case PayloadKind.request:
      return requestOf(arrayOf(body, 3, onItems));
    case PayloadKind.reply:
      return replyOf(arrayOf(body, 3, onItems));
    case PayloadKind.stream:
      return streamOf(body);
    case PayloadKind.reference:
      return body.length > 5 ? { kind: "reference", stream: body[0]!, states: body.subarray(1) } : undefined;
    case PayloadKind.resync:
      return resyncOf(body);
    case PayloadKind.changes:
      return body.length > 0 ? { kind: "changes", stream: body[0]!, changes: body.subarray(1) } : undefined;
    case PayloadKind.columns:
      return body.length > 0 ? { kind: "columns", stream: body[0]!, columns: body.subarray(1) } : undefined;
    default:
      return undefined;
  }
}

/** Returns an event's body: `[type, message]` without a kind. Throws as {@link writePeerPayload} does. */
export function writeEvent(type: string, message: unknown): Uint8Array {
  assertMessageType(type);
  return encodeItems([type, message]);
}

export function readEvent(
  bytes: Uint8Array,
  onItems?: (items: number) => void,
): (PeerPayload & { readonly kind: "command" }) | undefined {
  const items = arrayOf(bytes, 2, onItems);
  if (items === undefined || !isName(items[0])) return undefined;
  return { kind: "command", type: items[0], message: items[1] };
}

/**
 * Returns the payload of a control message: its kind, then the message. The functions `read*Message` of
 * control.ts read what follows the kind.
 */
export function writeControl(message: object): Uint8Array {
  return encodeAfter(PayloadKind.control, message);
}

function arrayOf(
  bytes: Uint8Array,
  length: number,
  onItems?: (items: number) => void,
): readonly unknown[] | undefined {
  const decoded = decodeValue(bytes, onItems);
  return decoded && Array.isArray(decoded.value) && decoded.value.length === length
    ? (decoded.value as readonly unknown[])
    : undefined;
}

function requestOf(items: readonly unknown[] | undefined): PeerPayload | undefined {
  if (items === undefined || !isId(items[0]) || !isName(items[1])) return undefined;
  return { kind: "request", id: items[0], type: items[1], message: items[2] };
}

function replyOf(items: readonly unknown[] | undefined): PeerPayload | undefined {
  if (items === undefined || !isId(items[0]) || typeof items[1] !== "boolean") return undefined;
  return { kind: "reply", id: items[0], ok: items[1], message: items[2] };
}

function writeStream({ stream, name, tickHz, schemaHash, entities = [] }: StreamAnnouncement): Uint8Array {
  const writer = new ByteWriter().u8(PayloadKind.stream).u8(stream).text(name);
  writer.u8(tickHz).u32(schemaHash);
  for (const id of entities) writer.u16(id);
  return writer.take();
}

function streamOf(body: Uint8Array): PeerPayload | undefined {
  const reader = new ByteReader(body);
  const stream = reader.u8();
  const name = reader.text(limits.nameBytes);
  const tickHz = reader.u8();
  const schemaHash = reader.u32();
  const entities = restOfIds(reader);
  if (!reader.ok || name === "" || tickHz === 0) return undefined;
  return { kind: "stream", stream, name, tickHz, schemaHash, ...(entities.length > 0 && { entities }) };
}

function resyncOf(body: Uint8Array): PeerPayload | undefined {
  const reader = new ByteReader(body);
  const stream = reader.u8();
  const entities = restOfIds(reader);
  return reader.ok && entities.length <= MAX_RESYNCED ? { kind: "resync", stream, entities } : undefined;
}

function restOfIds(reader: ByteReader): number[] {
  const ids: number[] = [];
  while (reader.ok && reader.remaining > 0) ids.push(reader.u16());
  return ids;
}

/** Throws {@link ConfigError} if the value cannot be the type of a message. */
export function assertMessageType(type: unknown): void {
  if (isName(type)) return;
  throw new ConfigError("type", type, `text of 1 to ${limits.nameBytes} bytes of UTF-8`);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && encodeUtf8(value).length <= limits.nameBytes;
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
}
