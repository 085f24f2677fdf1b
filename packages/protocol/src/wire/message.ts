import { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { MessageKind } from "./message-kinds.js";
import type { DropReason } from "../drop-reasons.js";
import type { Packet } from "./packet.js";

/** A message inside a packet: kind, length, body. `body` is a view, valid while the packet is handled. */
export interface Message {
  readonly kind: MessageKind;
  readonly body: Uint8Array;
}

const knownKinds: ReadonlySet<number> = new Set(Object.values(MessageKind));

/**
 * Writes a message. `head` is the first part of its body. With `only`, the packet's header has the kind of its
 * only message, so neither kind nor length is written.
 */
export function writeMessage(
  writer: ByteWriter,
  kind: MessageKind,
  body: Uint8Array,
  { head, only }: { readonly head?: Uint8Array | undefined; readonly only?: MessageKind | undefined } = {},
): void {
  writeMessageHead(writer, kind, (head?.length ?? 0) + body.length, only);
  if (head) writer.bytes(head);
  writer.bytes(body);
}

/** Writes kind and length, or nothing if the packet's header has the kind of its only message. */
export function writeMessageHead(
  writer: ByteWriter,
  kind: MessageKind,
  bodyBytes: number,
  only?: MessageKind,
): void {
  if (only === undefined) writer.u8(kind).varint(bodyBytes);
}

/** Returns the limit of bytes that {@link writeMessage} writes for a body. */
export function messageBytes(bodyBytes: number): number {
  return 1 + (bodyBytes < 0x80 ? 1 : bodyBytes < 0x4000 ? 2 : 3) + bodyBytes;
}

/**
 * Reads the messages of a packet in order, or returns a reason if any is malformed. Messages of unknown kinds
 * are skipped and reported to `onUnknown`, so that later versions can add kinds.
 */
export function readMessages(
  { only, messages: bytes }: Pick<Packet, "only" | "messages">,
  onUnknown: () => void,
): Message[] | DropReason {
  if (only !== undefined) return [{ kind: only, body: bytes }];
  const reader = new ByteReader(bytes);
  const messages: Message[] = [];
  while (reader.remaining > 0) {
    const kind = reader.u8();
    const body = reader.bytes(reader.varint());
    if (!reader.ok) return "length";
    if (knownKinds.has(kind)) messages.push({ kind: kind as MessageKind, body });
    else onUnknown();
  }
  return messages;
}
