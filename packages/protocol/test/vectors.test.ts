import {
  ByteReader,
  ByteWriter,
  MessageKind,
  PayloadKind,
  defineEntity,
  encodeValue,
  isNewer,
  list,
  map,
  readClientMessage,
  readUpwardEnvelope,
  readView,
  readMessages,
  readPacket,
  readPeerPayload,
  readServerMessage,
  readSlot,
  sequenceDistance,
  writeControl,
  writeCellEnvelopeHead,
  writeEnvelope,
  writeView,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
  writeSlot,
  type Acks,
  type DropReason,
  type EntityDefinition,
  type Field,
  type Fields,
  type MotionModel,
  type PeerPayload,
  type Slot,
  type TrafficClassName,
} from "@paceline/protocol";
import { decodeValue } from "../src/bytes/value-codec.js";
import { describe, expect, test } from "vitest";
import { withEachCodec } from "./each-codec.js";
import { fromHex, toHex, vectors, withBytes, withHex, type Vector } from "./vectors.js";

interface PacketVector {
  readonly sequence: number;
  readonly tick: number | null;
  readonly published: boolean;
  readonly acks: Acks | null;
  readonly receipt: number | null;
  readonly only: keyof typeof MessageKind | null;
  readonly messages: readonly { readonly kind: keyof typeof MessageKind; readonly body: string }[];
  readonly unknownMessages: number;
}

interface EnvelopeVector {
  readonly trafficClass: TrafficClassName;
  readonly key: number;
  readonly peers: readonly number[];
  readonly firstIds?: readonly number[];
  readonly cell?: number;
  readonly left?: number;
  readonly packet: string;
}

interface DefinitionVector {
  readonly name: string;
  readonly fields: Fields;
  readonly motion: MotionModel;
  readonly components: readonly string[];
  readonly schemaHash: number;
}

interface CircularVector {
  readonly a: number;
  readonly b: number;
  readonly ahead: number;
  readonly isNewer: boolean;
}

interface Malformed {
  readonly reader: string;
  readonly name: string;
  readonly hex: string;
  readonly zeros?: number;
  readonly drop: DropReason;
}

const kindNames = Object.fromEntries(Object.entries(MessageKind).map(([name, kind]) => [kind, name]));
const varints = vectors("varints") as readonly Vector<number>[];
const texts = vectors("texts") as readonly Vector<string>[];
const packets = vectors("packets") as readonly Vector<PacketVector>[];
const envelopes = vectors("envelopes") as readonly Vector<EnvelopeVector>[];
const values = vectors("values") as readonly (Vector<unknown> & { readonly canonical: boolean })[];
const payloads = vectors("payloads") as readonly Vector<PeerPayload & { readonly states?: unknown }>[];
const circular = vectors("circular") as readonly CircularVector[];
const slots = vectors("slots") as readonly Vector<Slot & { readonly states?: unknown }>[];
const controls = vectors("controls") as readonly (Vector<object> & { readonly from: string })[];
const definitions = vectors("definitions") as readonly DefinitionVector[];
const views = vectors("views") as readonly Vector<readonly number[]>[];
const malformed = vectors("malformed") as readonly Malformed[];
const definitionOf = ({ name, fields, motion }: DefinitionVector): EntityDefinition =>
  defineEntity(
    name,
    Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, completed(field)])),
    { motion },
  );
/** Adds what the vectors leave out of a field. */
function completed(field: Field): Field {
  if (field.kind === "growing") return list(completed(field.item), { max: field.max });
  if (field.kind === "map") return map(completed(field.item), { max: field.max });
  return { ...ranges[field.kind], ...field };
}
const ranges: Partial<Record<Field["kind"], object>> = {
  angle: { range: [-Math.PI, Math.PI], unit: "rad" },
  flag: { range: [0, 1], precision: 1, unit: "" },
  vec2: { unit: "" },
  vec3: { unit: "" },
  scalar: { unit: "" },
  int: { precision: 1, unit: "" },
  uint: { precision: 1, unit: "" },
  string: { range: [0, 0], precision: 0, unit: "" },
};

describe("vectors of numbers", () => {
  test.each(varints)("[WF1] varint $name", ({ hex, decoded }) => {
    const reader = new ByteReader(fromHex(hex));
    expect(reader.varint()).toBe(decoded);
    expect([reader.ok, reader.remaining]).toEqual([true, 0]);
    expect(toHex(new ByteWriter().varint(decoded).take())).toBe(hex);
  });

  test.each(texts)("[WF1] text: $name", ({ hex, decoded }) => {
    const reader = new ByteReader(fromHex(hex));
    expect(reader.text(64)).toBe(decoded);
    expect([reader.ok, reader.remaining]).toEqual([true, 0]);
    expect(toHex(new ByteWriter().text(decoded).take())).toBe(hex);
  });

  test.each(circular)("[WF5] $a is ahead of $b by $ahead", (vector) => {
    const { a, b } = vector;
    expect([sequenceDistance(a, b), isNewer(a, b)]).toEqual([vector.ahead, vector.isNewer]);
  });
});

describe("vectors of packets", () => {
  test.each(packets)("[WF2] [WF3] [WF4] [WF6] [WF7] $name", ({ hex, decoded }) => {
    const packet = readPacket(fromHex(hex));
    if (typeof packet === "string") throw new Error(packet);
    let unknownMessages = 0;
    const messages = readMessages(packet, () => (unknownMessages += 1));
    if (typeof messages === "string") throw new Error(messages);
    const { sequence, tick = null, isPublished, acks = null, receipt = null } = packet;
    const only = packet.only === undefined ? null : kindNames[packet.only];
    const named = messages.map(({ kind, body }) => ({ kind: kindNames[kind], body: toHex(body) }));
    const header = { sequence, tick, published: isPublished, acks, receipt, only };
    expect({ ...header, messages: named, unknownMessages }).toEqual(decoded);
    if (decoded.unknownMessages > 0) return;
    const writer = new ByteWriter();
    writePacketHeader(writer, packet);
    for (const { kind, body } of messages) writeMessage(writer, kind, body, packet);
    expect(toHex(writer.take())).toBe(hex);
  });

  test.each(envelopes)("[WF21] [WF7] [WF23] [WF24] [WF25] [WF53] envelope $name", ({ hex, decoded }) => {
    const envelope = readUpwardEnvelope(fromHex(hex));
    if (typeof envelope === "string") throw new Error(envelope);
    expect({ ...envelope, packet: toHex(envelope.packet) }).toEqual(decoded);
    const writer = new ByteWriter();
    const packet = fromHex(decoded.packet);
    const { cell } = decoded;
    if (cell === undefined) writeEnvelope(writer, { ...decoded, packet });
    else {
      writeCellEnvelopeHead(writer, { ...decoded, cell });
      writer.bytes(packet);
    }
    expect(toHex(writer.take())).toBe(hex);
  });
});

withEachCodec(() => {
  describe("vectors of values and payloads", () => {
    test.each(values)("[WF18] value $name", ({ hex, decoded }) => {
      const read = decodeValue(fromHex(hex));
      expect(read && withHex(read.value)).toEqual(decoded);
    });

    test.each(payloads)("[WF13] [WF14] [WF15] [WF16] [WF17] [WF52] payload $name", ({ hex, decoded }) => {
      const bytes =
        decoded.kind === "reference"
          ? { states: fromHex(String(decoded.states)) }
          : decoded.kind === "columns"
            ? { columns: fromHex(String(decoded.columns)) }
            : decoded.kind === "changes"
              ? { changes: fromHex(String(decoded.changes)) }
              : {};
      const expected = { ...decoded, ...bytes } as PeerPayload;
      expect(readPeerPayload(fromHex(hex))).toEqual(expected);
      expect(toHex(writePeerPayload(expected))).toBe(hex);
    });

    test.each(slots)("[WF28] slot: $name", ({ hex, decoded: { start, states } }) => {
      const expected = { start, ...(states !== undefined && { states: fromHex(String(states)) }) };
      expect(readSlot(fromHex(hex))).toEqual({ ...expected, start: { kind: "stream", ...start } });
      expect(toHex(writeSlot(expected))).toBe(hex);
    });

    test.each(controls)("[WF26] [WF27] control: $name", ({ hex, decoded, from }) => {
      const bytes = fromHex(hex);
      expect(bytes[0]).toBe(PayloadKind.control);
      const read = from === "server" ? readServerMessage : readClientMessage;
      expect(read(bytes.subarray(1))).toEqual(withBytes(decoded));
    });
  });
});

withEachCodec(() => {
  describe("encoders write the bytes of the vectors", () => {
    const ours = values.filter(({ canonical }) => canonical);
    const known = controls.filter(({ name }) => name !== "an unknown field is ignored");

    test.each(ours)("[WF18] value $name", ({ hex, decoded }) => {
      expect(toHex(encodeValue(withBytes(decoded)))).toBe(hex);
    });

    test.each(known)("[WF26] [WF27] control: $name", ({ hex, decoded }) => {
      expect(toHex(writeControl(withBytes(decoded) as object))).toBe(hex);
    });
  });
});

describe("vectors of views", () => {
  test.each(views)("[WF53] $name", ({ hex, decoded }) => {
    expect(readView(fromHex(hex))).toEqual(decoded);
    expect(toHex(writeView(decoded))).toBe(hex);
  });
});

describe("vectors of entities", () => {
  test.each(definitions)("[WF19] [WF20] $name has its components and hash", (vector) => {
    const definition = definitionOf(vector);
    expect(definition.components.map(({ name }) => name)).toEqual(vector.components);
    expect(definition.schemaHash).toBe(vector.schemaHash);
  });
});

/** The result of each reader: undefined if it accepts the bytes, else the reason. */
const readers: Readonly<Record<string, (bytes: Uint8Array) => DropReason | undefined>> = {
  packet: (bytes) => reasonIn(readPacket(bytes)),
  messages: (bytes) => {
    const packet = readPacket(bytes);
    if (typeof packet === "string") throw new Error(`the header is bad: ${packet}`);
    return reasonIn(readMessages(packet, () => undefined));
  },
  envelope: (bytes) => reasonIn(readUpwardEnvelope(bytes)),
  view: (bytes) => (readView(bytes) ? undefined : "bad-message"),
  payload: (bytes) => (readPeerPayload(bytes) ? undefined : "bad-message"),
  value: (bytes) => (decodeValue(bytes) ? undefined : "bad-message"),
  slot: (bytes) => (readSlot(bytes) ? undefined : "bad-message"),
  "control from the server": (bytes) => (readServerMessage(bytes.subarray(1)) ? undefined : "bad-message"),
  "control from a participant": (bytes) => (readClientMessage(bytes.subarray(1)) ? undefined : "bad-message"),
};

function reasonIn(read: object | DropReason): DropReason | undefined {
  return typeof read === "string" ? read : undefined;
}

withEachCodec(() => {
  describe("vectors of malformed bytes", () => {
    test.each(malformed)("[WF2] [WF8] [WF18] $reader: $name", ({ reader, hex, zeros = 0, drop }) => {
      const bytes = fromHex(hex + "00".repeat(zeros));
      expect(readers[reader]?.(bytes)).toBe(drop);
    });
  });
});
