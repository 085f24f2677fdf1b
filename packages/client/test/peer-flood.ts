import { defineEntity, uint, type Room } from "@paceline/client";
import {
  ByteWriter,
  MessageKind,
  PacketEntries,
  PayloadKind,
  SnapshotWriter,
  encodeItems,
  encodeItemsAfter,
  limits,
  planState,
  readEvent,
  readPeerPayload,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
  type PeerPayload,
} from "@paceline/protocol";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { VirtualHub } from "./virtual-hub.js";

/** Packets a second and their bytes. */
export interface FloodRate {
  readonly perSecond: number;
  readonly bytes: number;
}

/** What one session may send through a relay with default limits. */
export const RELAYED: FloodRate = { perSecond: 380, bytes: 640 };
/** What a member reads of direct links. */
export const DIRECT: FloodRate = { perSecond: 1480, bytes: 1666 };

/** A message of a flood. `id` counts the messages of the flood that were read. */
export interface FloodMessage {
  readonly kind: number;
  readonly body: (id: number) => Uint8Array;
  /** Default: as many as fit. */
  readonly perPacket?: number;
}

const NO_KIND = 0x77;

const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)]);
/** Writes the bodies of all messages: one writer for each would mostly allocate. */
const bodies = new ByteWriter();
const reliable = (payload: (id: number) => Uint8Array): FloodMessage => ({
  kind: MessageKind.reliable,
  body: (id) =>
    bodies
      .reset()
      .u16(id & 0xffff)
      .bytes(payload(id))
      .take(),
});
const said = (payload: PeerPayload): FloodMessage => {
  const bytes = writePeerPayload(payload);
  return reliable(() => bytes);
};
const fixed = (kind: number, body: Uint8Array): FloodMessage => ({ kind, body: () => body });
const event = (message: unknown): FloodMessage => fixed(MessageKind.event, encodeItems(["a", message]));
const bulk = (part: Uint8Array, flags: number): FloodMessage => ({
  kind: MessageKind.bulk,
  body: (id) =>
    bodies
      .reset()
      .u16(id & 0xffff)
      .u8(flags)
      .bytes(part)
      .take(),
});

/** Many small items in a message of about 600 bytes. */
const EMPTY_ARRAYS = Array.from({ length: 590 }, () => []);
const DEEP_ARRAYS = Array.from({ length: 75 }, () => nested(5));
const MAPS = Array.from({ length: 150 }, () => ({ a: 0 }));
const TEXTS = Array.from({ length: 190 }, () => "é");

const Light = defineEntity("light", { level: uint({ range: [0, 60_000] }) });

const REMOVALS = 300;

/** Removals of entities that the reader does not have, in stream 0. */
function removals(count: number): Uint8Array {
  const writer = new SnapshotWriter([planState(Light, { tickHz: 60, hasRates: true })]);
  const removed = Array.from({ length: count }, (_, id) => id);
  const body = writer.write({ tick: 1000, entries: new PacketEntries(), removed, checked: -1 });
  return Uint8Array.of(0, ...body);
}

/** One message of each kind that a peer can send, in the form that costs its receiver most for its bytes. */
export const floods: Readonly<Record<string, FloodMessage>> = {
  "events with a number": event(0),
  "events of empty arrays": event(EMPTY_ARRAYS),
  "events of arrays in arrays": event(DEEP_ARRAYS),
  "events of maps": event(MAPS),
  "events of texts": event(TEXTS),
  commands: said({ kind: "command", type: "a", message: 0 }),
  "commands of arrays in arrays": said({ kind: "command", type: "a", message: DEEP_ARRAYS }),
  "commands with eight levels": said({ kind: "command", type: "a", message: nested(6) }),
  requests: reliable((id) => encodeItemsAfter(PayloadKind.request, [id, "a", 0])),
  replies: reliable((id) => encodeItemsAfter(PayloadKind.reply, [id, true, 0])),
  "lists of entities": said({
    kind: "stream",
    stream: 0,
    name: "light",
    tickHz: 60,
    schemaHash: 1,
    entities: Array.from({ length: 500 }, (_, id) => id),
  }),
  "requests for all states": said({ kind: "resync", stream: 0, entities: [] }),
  "requests for one state": said({ kind: "resync", stream: 0, entities: [1] }),
  "requests for many states": said({
    kind: "resync",
    stream: 0,
    entities: Array.from({ length: 64 }, (_, id) => id),
  }),
  "requests for columns": said({ kind: "columns", stream: 0, columns: new Uint8Array(0) }),
  "beginnings of streams": reliable((id) =>
    writePeerPayload({ kind: "stream", stream: id & 0xff, name: `k${id & 0xff}`, tickHz: 60, schemaHash: 1 }),
  ),
  "references of no stream": said({ kind: "reference", stream: 9, states: new Uint8Array(5) }),
  "states of no stream": fixed(MessageKind.state, Uint8Array.of(9)),
  "removals of entities": fixed(MessageKind.state, removals(REMOVALS)),
  inputs: fixed(MessageKind.input, Uint8Array.of(0)),
  pings: { kind: MessageKind.ping, body: () => new Uint8Array(2), perPacket: 1 },
  pongs: fixed(MessageKind.pong, new Uint8Array(8)),
  "empty parts of bulk": bulk(new Uint8Array(0), 0),
  "bulk messages": bulk(writePeerPayload({ kind: "command", type: "a", message: 0 }), 1),
  "bulk of empty arrays": bulk(writePeerPayload({ kind: "command", type: "a", message: EMPTY_ARRAYS }), 1),
  "messages of no kind": fixed(NO_KIND, new Uint8Array(0)),
};

/** Returns what the message takes of the allowance. */
export function costOf({ kind, body }: FloodMessage): number {
  let items = kind === MessageKind.state && body(0).length > 1 ? REMOVALS : 0;
  const count = (more: number): void => void (items += more);
  if (kind === MessageKind.event) readEvent(body(0), count);
  if (kind === MessageKind.reliable) readPeerPayload(body(0).subarray(2), count);
  if (kind === MessageKind.bulk) readPeerPayload(body(0).subarray(3), count);
  return 1 + items / limits.itemsPerMessage;
}

/** Returns a hub and two members, of whom the first has begun stream 0. */
export async function floodedPair(): Promise<{
  readonly hub: VirtualHub;
  readonly rooms: readonly [Room, Room];
}> {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [hostile, victim] = (await hub.meet(2)) as [Room, Room];
  victim.onMessage("a", () => undefined);
  victim.entities(Light);
  const { name, schemaHash } = Light;
  (hostile.peers[0] as PeerConnection).send({ kind: "stream", stream: 0, name, tickHz: 60, schemaHash });
  await hub.advance(200);
  return { hub, rooms: [hostile, victim] };
}

/** Floods a member with the messages of one peer, and pays for nothing but the member's reading. */
export class PeerFlood {
  readonly #hub: VirtualHub;
  readonly #peer: PeerConnection;
  readonly #flood: FloodMessage;
  readonly #rate: FloodRate;
  #sequence = 1000;
  readonly #writer = new ByteWriter();
  #id: number;
  /** Messages that were sent, and those that were read. */
  sent = 0;
  taken = 0;
  packetsRefused = 0;

  constructor(hub: VirtualHub, [hostile, victim]: readonly Room[], flood: FloodMessage, rate: FloodRate) {
    // The hostile member's own session would end at receipts of what it has not sent.
    (hostile!.peers[0] as PeerConnection).relayedState!.received = () => undefined;
    this.#hub = hub;
    this.#peer = victim!.peers[0] as PeerConnection;
    this.#flood = flood;
    // The beginning of the stream was the first reliable message.
    this.#id = flood.kind === MessageKind.reliable ? 1 : 0;
    this.#rate = rate;
  }

  /** Sends for some seconds. Returns the CPU time of the member by `clock`, ms. */
  send(seconds: number, clockMs: () => number): number {
    let spentMs = 0;
    for (let packet = 0; packet < seconds * this.#rate.perSecond; packet++) {
      this.#hub.scheduler.advance(1000 / this.#rate.perSecond);
      const { bytes, messages } = this.#packet();
      this.sent += messages;
      const read = this.#packetsRead;
      const before = clockMs();
      this.#peer.relayedState!.received(bytes);
      spentMs += clockMs() - before;
      // What was not read comes again, as from a sender without a receipt: later ids would only wait for it.
      if (this.#packetsRead === read) {
        this.packetsRefused += 1;
        continue;
      }
      this.#id += messages;
      this.taken += messages;
    }
    return spentMs;
  }

  /** A number that grows with each packet that was read, by the message of no kind that each ends with. */
  get #packetsRead(): number {
    return this.#peer.drops["unknown-kind"] ?? 0;
  }

  #packet(): { readonly bytes: Uint8Array; readonly messages: number } {
    const { kind, body, perPacket = Infinity } = this.#flood;
    const sequence = this.#sequence++ & 0xffff;
    const writer = this.#writer.reset();
    writePacketHeader(writer, {
      sequence,
      isPublished: false,
      ...(kind === MessageKind.state && { tick: sequence }),
    });
    let messages = 0;
    while (messages < perPacket && (messages === 0 || writer.length < this.#rate.bytes)) {
      writeMessage(writer, kind as MessageKind, body(this.#id + messages));
      messages += 1;
    }
    if (kind !== NO_KIND) writer.u8(NO_KIND).varint(0);
    return { bytes: writer.take(), messages };
  }
}
