import { ByteReader } from "./byte-reader.js";
import { ByteWriter } from "./byte-writer.js";
import { PayloadKind, limits } from "./codes.js";
import { ConfigError } from "./errors.js";
import { encodeUtf8 } from "./utf8.js";
import { decodeValue, encodeValue } from "./value-codec.js";

/** An entity begins at its owner; receivers create it with its first state. */
export interface Spawn {
  readonly localId: number;
  readonly name: string;
  readonly schemaHash: number;
  /** Simulation steps per second of the owner: what its ticks count. 1 to 255. */
  readonly tickHz: number;
  /** The owner's tick of the state. */
  readonly tick: number;
  /** Components as Float32, not yet checked against a definition. */
  readonly state: Uint8Array;
}

/** What a reliable message between two participants carries. */
export type PeerPayload =
  | { readonly kind: "command"; readonly type: string; readonly message: unknown }
  | { readonly kind: "request"; readonly id: number; readonly type: string; readonly message: unknown }
  | { readonly kind: "reply"; readonly id: number; readonly ok: boolean; readonly message: unknown }
  | ({ readonly kind: "spawn" } & Spawn)
  | { readonly kind: "despawn"; readonly localId: number };

/** Throws {@link ConfigError} for a type or a message that may not be sent. */
export function writePeerPayload(payload: PeerPayload): Uint8Array {
  switch (payload.kind) {
    case "command":
      assertMessageType(payload.type);
      return packed(PayloadKind.command, [payload.type, payload.message]);
    case "request":
      assertMessageType(payload.type);
      return packed(PayloadKind.request, [payload.id, payload.type, payload.message]);
    case "reply":
      return packed(PayloadKind.reply, [payload.id, payload.ok, payload.message]);
    case "spawn":
      return new ByteWriter()
        .u8(PayloadKind.spawn)
        .u16(payload.localId)
        .text(payload.name)
        .u32(payload.schemaHash)
        .u8(payload.tickHz)
        .u32(payload.tick)
        .bytes(payload.state)
        .take();
    case "despawn":
      return new ByteWriter().u8(PayloadKind.despawn).u16(payload.localId).take();
  }
}

/** Reads what {@link writePeerPayload} wrote; undefined where the bytes are malformed. */
export function readPeerPayload(bytes: Uint8Array): PeerPayload | undefined {
  const kind = bytes[0];
  const body = bytes.subarray(1);
  switch (kind) {
    case PayloadKind.command:
      return readEvent(body);
    case PayloadKind.request:
      return requestOf(arrayOf(body, 3));
    case PayloadKind.reply:
      return replyOf(arrayOf(body, 3));
    case PayloadKind.spawn:
      return spawnOf(body);
    case PayloadKind.despawn:
      return body.length === 2 ? { kind: "despawn", localId: new ByteReader(body).u16() } : undefined;
    default:
      return undefined;
  }
}

/** An event's body: `[type, message]` without a kind before it. Throws as {@link writePeerPayload} does. */
export function writeEvent(type: string, message: unknown): Uint8Array {
  assertMessageType(type);
  return encodeValue([type, message]);
}

export function readEvent(bytes: Uint8Array): (PeerPayload & { readonly kind: "command" }) | undefined {
  const items = arrayOf(bytes, 2);
  if (items === undefined || !isName(items[0])) return undefined;
  return { kind: "command", type: items[0], message: items[1] };
}

/** A control message with its payload kind before it; `read*Message` of control.ts read the rest. */
export function writeControl(message: object): Uint8Array {
  return packed(PayloadKind.control, message);
}

function packed(kind: PayloadKind, value: unknown): Uint8Array {
  return new ByteWriter().u8(kind).bytes(encodeValue(value)).take();
}

function arrayOf(bytes: Uint8Array, length: number): readonly unknown[] | undefined {
  const decoded = decodeValue(bytes);
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

function spawnOf(body: Uint8Array): PeerPayload | undefined {
  const reader = new ByteReader(body);
  const localId = reader.u16();
  const name = reader.text(limits.nameBytes);
  const schemaHash = reader.u32();
  const tickHz = reader.u8();
  const tick = reader.u32();
  const state = reader.rest();
  const isValid = reader.ok && name !== "" && tickHz > 0;
  return isValid ? { kind: "spawn", localId, name, schemaHash, tickHz, tick, state } : undefined;
}

/** Throws {@link ConfigError} for what cannot be the type of a message. */
export function assertMessageType(type: unknown): void {
  if (isName(type)) return;
  throw new ConfigError({
    field: "type",
    value: type,
    expected: `text of 1 to ${limits.nameBytes} bytes of UTF-8`,
  });
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && encodeUtf8(value).length <= limits.nameBytes;
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
}
