import {
  ByteReader,
  ByteWriter,
  MessageKind,
  decodeUtf8,
  dropReasons,
  encodeValue,
  limits,
  readClientMessage,
  readEnvelope,
  readEvent,
  readMessages,
  readPacket,
  readPeerPayload,
  readServerMessage,
  writeControl,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
  type DropReason,
} from "@paceline/protocol";
import { decodeValue } from "../src/bytes/value-codec.js";
import { assert, constantFrom, oneof, property, sample, tuple, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { mutationsOf } from "./arbitraries.js";
import { fromHex, vectors } from "./vectors.js";

/** Number of inputs of each kind. Every input goes to every decoder. */
const INPUTS = 2500;
const SEED = 20_260_102;

const reasons: ReadonlySet<string> = new Set<DropReason>(dropReasons);

function demand(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

function isWhole(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Guarantees of every decoder for any bytes. Each function throws if one is broken. */
const promises: Readonly<Record<string, (bytes: Uint8Array) => void>> = {
  packet(bytes) {
    const packet = readPacket(bytes);
    if (typeof packet === "string") return demand(reasons.has(packet), `reason ${packet}`);
    const { sequence, tick = 0, acks, receipt = 0 } = packet;
    demand(isWhole(sequence, 0xffff) && isWhole(tick, 0xffff) && isWhole(receipt, 0xffff), "header");
    if (acks) demand(isWhole(acks.ack, 0xffff) && isWhole(acks.ackBits, 0xffffffff), "acks");
    demand(isWhole(acks?.bulkReceipt ?? 0, 0xffff), "receipt of bulk");
    const writer = new ByteWriter();
    writePacketHeader(writer, packet);
    demand(isSame(writer.bytes(packet.messages).view(), bytes), "header is not canonical");
    if (packet.only === undefined) promises.messages?.(packet.messages);
  },
  messages(bytes) {
    let unknown = 0;
    const messages = readMessages({ messages: bytes }, () => (unknown += 1));
    if (typeof messages === "string") return demand(messages === "length", `reason ${messages}`);
    const known: ReadonlySet<number> = new Set(Object.values(MessageKind));
    demand(
      messages.every(({ kind }) => known.has(kind)),
      "unknown kind",
    );
    if (unknown > 0) return;
    const writer = new ByteWriter();
    for (const { kind, body } of messages) writeMessage(writer, kind, body);
    demand(isSame(writer.view(), bytes), "messages are not canonical");
  },
  envelope(bytes) {
    const envelope = readEnvelope(bytes);
    if (typeof envelope === "string") return demand(reasons.has(envelope), `reason ${envelope}`);
    const { key, peers, firstIds = peers, packet } = envelope;
    demand(
      firstIds.length === peers.length && firstIds.every((id) => isWhole(id, 0xffff)),
      "message numbers",
    );
    demand(isWhole(key, 0xffff) && peers.every((peer) => isWhole(peer, 0xffff)), "numbers");
    demand(peers.length > 0 && peers.length <= limits.envelopeTargets && packet.length > 0, "sizes");
    const writer = new ByteWriter();
    writeEnvelope(writer, envelope);
    demand(isSame(writer.view(), bytes), "envelope is not canonical");
  },
  payload(bytes) {
    const payload = readPeerPayload(bytes);
    if (!payload) return;
    // A decoded payload may be sent on, so all its values must be in range.
    const again = writePeerPayload(payload);
    const isBinary = ["stream", "reference", "resync", "columns", "changes"].includes(payload.kind);
    if (isBinary) {
      demand(isSame(again, bytes), "payload is not canonical");
    } else demand(readPeerPayload(again) !== undefined, "what was read cannot be read again");
    if (payload.kind === "stream") {
      demand(payload.tickHz > 0 && payload.name !== "", "stream");
    }
    if (payload.kind === "resync") demand(payload.entities.length <= 64, "entities");
  },
  value(bytes) {
    const decoded = decodeValue(bytes);
    if (decoded) demand(decodeValue(encodeValue(decoded.value)) !== undefined, "not plain data");
  },
  event(bytes) {
    const event = readEvent(bytes);
    if (event) demand(event.type !== "", "type");
  },
  control(bytes) {
    const body = bytes.subarray(1);
    const [fromServer, fromClient] = [readServerMessage(body), readClientMessage(body)];
    if (fromServer) demand(readServerMessage(writeControl(fromServer).subarray(1)) !== undefined, "server");
    if (fromClient) demand(readClientMessage(writeControl(fromClient).subarray(1)) !== undefined, "client");
  },
  text(bytes) {
    const reader = new ByteReader(bytes);
    const text = reader.text(limits.nameBytes);
    demand(reader.ok || text === "", "text of a failed read");
    demand((decodeUtf8(bytes) ?? "").length <= bytes.length, "text longer than its bytes");
  },
};

const seed = oneof(
  ...["packets", "envelopes", "values", "payloads", "controls"].map((file) =>
    constantFrom(...(vectors(file) as { readonly hex: string }[]).map(({ hex }) => fromHex(hex))),
  ),
);

const mutated = mutationsOf(seed);

/** Random bytes with the first byte of a packet, an envelope, a payload or a container. */
const starts = [
  0x20, 0x30, 0x38, 0x22, 0x26, 0x12, 0x81, 1, 2, 3, 4, 7, 8, 9, 10, 0x81, 0x92, 0x93, 0xdd, 0xdf, 0xc6,
];
const guided = tuple(constantFrom(...starts), uint8Array({ maxLength: 60 })).map(([start, rest]) =>
  Uint8Array.of(start, ...rest),
);

const inputs = { random: uint8Array({ maxLength: 64 }), guided, mutated };
const kinds = Object.keys(inputs) as (keyof typeof inputs)[];

describe("decoders", () => {
  test.each(kinds)("[WF7] [WF18] keep their guarantees for %s bytes", (kind) => {
    assert(
      property(inputs[kind], (bytes) => {
        for (const keepsPromise of Object.values(promises)) keepsPromise(bytes);
      }),
      { seed: SEED, numRuns: INPUTS },
    );
  });

  test("get both acceptable and malformed bytes in this test", () => {
    const samples = sample(mutated, { seed: SEED, numRuns: INPUTS });
    const accepting: readonly ((bytes: Uint8Array) => boolean)[] = [
      (bytes) => typeof readPacket(bytes) !== "string",
      (bytes) => typeof readEnvelope(bytes) !== "string",
      (bytes) => readPeerPayload(bytes) !== undefined,
      (bytes) => decodeValue(bytes) !== undefined,
      (bytes) => readServerMessage(bytes.subarray(1)) !== undefined,
    ];
    for (const accepts of accepting) {
      const accepted = samples.filter((bytes) => accepts(bytes)).length;
      expect(accepted).toBeGreaterThan(5);
      expect(accepted).toBeLessThan(samples.length - 20);
    }
  });
});
