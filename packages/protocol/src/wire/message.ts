import { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { MessageKind, type DropReason } from "../errors/codes.js";
import type { Packet } from "./packet.js";

/** A message inside a packet: kind, length, body. `body` is a view, valid while the packet is handled. */
export interface Message {
  readonly kind: MessageKind;
  readonly body: Uint8Array;
}

const knownKinds: ReadonlySet<number> = new Set(Object.values(MessageKind));

/** `head`: stands before the body, as a part of it. `only`: the packet's header says the kind already. */
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

/** Nothing of a packet's only message, whose kind its header says. */
export function writeMessageHead(
  writer: ByteWriter,
  kind: MessageKind,
  bodyBytes: number,
  only?: MessageKind,
): void {
  if (only === undefined) writer.u8(kind).varint(bodyBytes);
}

/** Bytes that {@link writeMessage} will write at most. */
export function messageBytes(bodyBytes: number): number {
  return 1 + (bodyBytes < 0x80 ? 1 : bodyBytes < 0x4000 ? 2 : 3) + bodyBytes;
}

/**
 * The messages of a packet in their order; a reason instead if any is malformed. A message of a kind that this
 * version does not know is left out and reported through `onUnknown`, so that later kinds can be added.
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
