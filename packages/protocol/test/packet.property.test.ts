import {
  ByteWriter,
  MessageKind,
  PROTOCOL_VERSION,
  downwardOf,
  isRouted,
  limits,
  messageBytes,
  readEnvelope,
  readMessages,
  readPacket,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  type Message,
  type PacketHeader,
} from "@paceline/protocol";
import { array, assert, constantFrom, integer, property, tuple, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { envelope, messages, packetHeader } from "./arbitraries.js";

const RUNS = { numRuns: 500 };
const never = (): never => {
  throw new Error("no unknown kind was written");
};

function written(header: PacketHeader, list: readonly Message[]): Uint8Array {
  const writer = new ByteWriter(8);
  writePacketHeader(writer, header);
  for (const { kind, body } of list) writeMessage(writer, kind, body);
  return writer.take();
}

describe("packets", () => {
  test("[WF4] [WF5] [WF6] [WF10] say what was written", () => {
    assert(
      property(packetHeader, messages, (header, list) => {
        const packet = readPacket(written(header, list));
        if (typeof packet === "string") throw new Error(packet);
        const { messages: rest, ...head } = packet;
        expect(head).toEqual({ acks: undefined, receipt: undefined, ...header });
        expect(readMessages(rest, never)).toEqual(list);
      }),
      RUNS,
    );
  });

  test("[WF12] are canonical: what is accepted is written again byte for byte", () => {
    const firsts = integer({ min: 0, max: 15 });
    assert(
      property(firsts, uint8Array({ maxLength: 40 }), (flags, rest) => {
        const bytes = Uint8Array.of((PROTOCOL_VERSION << 4) | flags, ...rest);
        const packet = readPacket(bytes);
        if (typeof packet === "string") return;
        const list = readMessages(packet.messages, () => undefined);
        const writer = new ByteWriter();
        writePacketHeader(writer, packet);
        expect(writer.length + packet.messages.length).toBe(bytes.length);
        expect(writer.bytes(packet.messages).take()).toEqual(bytes);
        if (typeof list === "string") return;
        const again = new ByteWriter();
        for (const { kind, body } of list) writeMessage(again, kind, body);
        // What is shorter leaves out messages of unknown kinds.
        const isComplete = again.length === packet.messages.length;
        expect(isComplete ? again.take() : packet.messages).toEqual(packet.messages);
      }),
      { numRuns: 3000 },
    );
  });

  test("[WF4] are refused at every length that is too short for their flags", () => {
    for (const flags of [0, 2, 4, 6, 8]) {
      const headBytes = 7 + (flags & 2 ? 6 : 0) + (flags & 4 ? 2 : 0);
      const bytes = new Uint8Array(headBytes);
      bytes[0] = (PROTOCOL_VERSION << 4) | flags;
      for (let length = 0; length < headBytes; length++) {
        expect(readPacket(bytes.subarray(0, length))).toBe("too-short");
      }
      expect(readPacket(bytes)).toBeTypeOf("object");
    }
  });

  test("[WF3] [WF7] [WF8] are refused for every first byte but five", () => {
    const accepted = Array.from({ length: 256 }, (_, first) => first).filter((first) => {
      const bytes = new Uint8Array(32);
      bytes[0] = first;
      return typeof readPacket(bytes) !== "string";
    });
    expect(accepted).toEqual([0x20, 0x22, 0x24, 0x26, 0x28]);
  });

  test("[WF13] may be of the greatest length and no longer", () => {
    const bytes = new Uint8Array(limits.reliablePacketBytes);
    bytes[0] = PROTOCOL_VERSION << 4;
    expect(readPacket(bytes)).toBeTypeOf("object");
    expect(readPacket(Uint8Array.of(...bytes, 0))).toBe("too-long");
  });
});

describe("messages", () => {
  test("[WF11] of unknown kinds are left out and counted, the others kept in order", () => {
    const known: ReadonlySet<number> = new Set(Object.values(MessageKind));
    const anything = array(tuple(integer({ min: 0, max: 255 }), uint8Array({ maxLength: 5 })), {
      maxLength: 8,
    });
    assert(
      property(anything, (list) => {
        const writer = new ByteWriter();
        for (const [kind, body] of list) writeMessage(writer, kind as MessageKind, body);
        let unknown = 0;
        const read = readMessages(writer.take(), () => (unknown += 1));
        const expected = list.filter(([kind]) => known.has(kind)).map(([kind, body]) => ({ kind, body }));
        expect(read).toEqual(expected);
        expect(unknown).toBe(list.length - expected.length);
      }),
      RUNS,
    );
  });

  test("[WF10] that do not fill the packet exactly refuse the whole packet", () => {
    assert(
      property(messages, (list) => {
        const bytes = written({ sequence: 0, tick: 0, isPublished: true }, list).subarray(7);
        const ends = new Set([0]);
        let at = 0;
        for (const { body } of list) ends.add((at += messageBytes(body.length)));
        for (let length = 0; length < bytes.length; length++) {
          const read = readMessages(bytes.subarray(0, length), never);
          expect(typeof read === "string").toBe(!ends.has(length));
        }
      }),
      { numRuns: 50 },
    );
  });

  test.each([0, 1, 127, 128, 16_383, 16_384])("declare their size: body of %i bytes", (bodyBytes) => {
    const writer = new ByteWriter();
    writeMessage(writer, MessageKind.event, new Uint8Array(bodyBytes));
    expect(writer.length).toBe(messageBytes(bodyBytes));
  });
});

describe("envelopes", () => {
  test("[WF29] say what was written", () => {
    assert(
      property(envelope, (sent) => {
        const writer = new ByteWriter();
        writeEnvelope(writer, sent);
        expect(isRouted(writer.view())).toBe(true);
        expect(readPacket(writer.view())).toBe("flags");
        expect(readEnvelope(writer.take())).toEqual(sent);
      }),
      RUNS,
    );
  });

  test("[WF12] [WF29] are canonical", () => {
    assert(
      property(constantFrom(0x21, 0x23, 0x25, 0x29, 0x2f), uint8Array({ maxLength: 30 }), (first, rest) => {
        const bytes = Uint8Array.of(first, ...rest);
        const read = readEnvelope(bytes);
        if (typeof read === "string") return;
        const writer = new ByteWriter();
        writeEnvelope(writer, read);
        expect(writer.take()).toEqual(bytes);
      }),
      { numRuns: 3000 },
    );
  });

  test("[WF8] [WF29] are refused for every first byte but eight", () => {
    const accepted = Array.from({ length: 256 }, (_, first) => first).filter(
      (first) => typeof readEnvelope(Uint8Array.of(first, 0, 2, 2, 2, 7, 0, 2, 9, 9)) !== "string",
    );
    expect(accepted).toEqual([0x21, 0x23, 0x25, 0x27, 0x29, 0x2b, 0x2d, 0x2f]);
  });

  test("[WF13] [WF29] hold a packet of the greatest length and 64 receivers, no more", () => {
    const full = { trafficClass: "bulk" as const, key: 0, peers: Array.from({ length: 64 }, (_, n) => n) };
    const of = (packetBytes: number, peers: number[]): unknown => {
      const writer = new ByteWriter();
      writeEnvelope(writer, { ...full, peers, packet: new Uint8Array(packetBytes) });
      return readEnvelope(writer.take());
    };
    expect(of(limits.reliablePacketBytes, full.peers)).toBeTypeOf("object");
    expect(of(limits.reliablePacketBytes + 1, full.peers)).toBe("too-long");
    expect(of(10, [...full.peers, 64])).toBe("length");
    expect(of(10, [])).toBe("length");
    expect(of(0, [1])).toBe("too-short");
  });

  test("[WF129] may ask not to wait, however many receivers they name", () => {
    const counts = Array.from({ length: 256 }, (_, count) => count).filter((count) => {
      const read = readEnvelope(Uint8Array.of(0x2b, 3, count, ...new Uint8Array(2 * count), 9));
      return typeof read !== "string" && read.isPrompt === true;
    });
    expect(counts).toEqual(Array.from({ length: 63 }, (_, more) => more + 2));
    expect(readEnvelope(Uint8Array.of(0x23, 3, 7, 0, 9))).toMatchObject({ isPrompt: true, peers: [7] });
  });

  test("[WF29] one receiver costs two bytes, and the server passes on nothing but class, epoch and sender", () => {
    const bytesOf = (of: Parameters<typeof writeEnvelope>[1]): number => {
      const writer = new ByteWriter();
      writeEnvelope(writer, of);
      return writer.length - of.packet.length;
    };
    const packet = Uint8Array.of(9);
    const subject = { entity: 0x10003, sequence: 5 };
    const sent = { trafficClass: "state", key: 4, subject, isPrompt: true, peers: [2, 3], packet } as const;
    expect(bytesOf({ trafficClass: "state", key: 0, peers: [1], packet })).toBe(2 + 2);
    expect(bytesOf(sent)).toBe(2 + 2 + 6 + 1 + 2 * 2);
    expect(downwardOf(sent, 1)).toMatchObject({ key: 0, peers: [1] });
    expect(bytesOf(downwardOf(sent, 1))).toBe(2 + 2);
  });
});
