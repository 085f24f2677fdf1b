import {
  ByteWriter,
  MessageKind,
  downwardOf,
  isRouted,
  limits,
  messageBytes,
  readEnvelope,
  readMessages,
  readPacket,
  tickNear,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  type Message,
  type PacketHeader,
} from "@paceline/protocol";
import { array, assert, integer, property, tuple, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { envelope, messages, packetHeader } from "./arbitraries.js";

const RUNS = { numRuns: 500 };
const never = (): never => {
  throw new Error("no unknown kind was written");
};

function written(header: PacketHeader, list: readonly Message[]): Uint8Array {
  const writer = new ByteWriter(8);
  writePacketHeader(writer, header);
  for (const { kind, body } of list) writeMessage(writer, kind, body, header);
  return writer.take();
}

describe("packets", () => {
  test("[WF2] [WF3] [WF6] are decoded as they were encoded", () => {
    assert(
      property(packetHeader, messages, (header, list) => {
        const packet = readPacket(written(header, list));
        if (typeof packet === "string") throw new Error(packet);
        const { messages: _, ...head } = packet;
        const stamp = header.tick === undefined ? undefined : header.tick & 0xffff;
        expect(head).toEqual({
          acks: undefined,
          receipt: undefined,
          only: undefined,
          ...header,
          tick: stamp,
        });
        expect(readMessages(packet, never)).toEqual(list);
      }),
      RUNS,
    );
  });

  test("[WF6] with one message have no bytes for its kind and length", () => {
    const body = Uint8Array.of(1, 2, 3);
    const state = { sequence: 0x1234, isPublished: true, only: MessageKind.state, tick: 0x56789 } as const;
    expect(written(state, [{ kind: MessageKind.state, body }])).toEqual(
      Uint8Array.of(0x38, 0x34, 0x89, 0x67, 1, 2, 3),
    );
    const ping = { sequence: 0x1234, isPublished: false, only: MessageKind.ping } as const;
    expect(written(ping, [{ kind: MessageKind.ping, body }])).toEqual(
      Uint8Array.of(0xc0, 0x34, 0x12, 1, 2, 3),
    );
  });

  test("[WF3] omit the bytes of acks in which all bits are set", () => {
    const bytesOf = (ackBits: number): number =>
      written({ sequence: 0, isPublished: false, acks: { ack: 7, ackBits } }, []).length;
    expect(bytesOf(0xffffffff)).toBe(3 + 3);
    expect(bytesOf(0xffff00ff)).toBe(3 + 4);
    expect(bytesOf(0)).toBe(3 + 7);
    // A byte that should be omitted, and an unknown flag.
    expect(readPacket(Uint8Array.of(2, 0, 0, 7, 0, 1, 0xff))).toBe("length");
    expect(readPacket(Uint8Array.of(2, 0, 0, 7, 0, 32))).toBe("length");
  });

  test("[WF2] have ticks of 16 bits: the reader takes the one nearest to the tick that it expects", () => {
    const u32 = integer({ min: 0, max: 0xffffffff });
    assert(
      property(u32, integer({ min: -0x4000, max: 0x4000 }), (expected, ahead) => {
        const tick = (expected + ahead) >>> 0;
        expect(tickNear(tick & 0xffff, expected)).toBe(tick);
      }),
      RUNS,
    );
    assert(
      property(u32, integer({ min: 0x4001, max: 0xffff - 0x4000 }), (expected, ahead) => {
        expect(tickNear((expected + ahead) & 0xffff, expected)).toBeUndefined();
      }),
      RUNS,
    );
  });

  test("[WF7] are canonical: encoding an accepted packet again gives the same bytes", () => {
    const firsts = integer({ min: 0, max: 255 });
    assert(
      property(firsts, uint8Array({ maxLength: 40 }), (first, rest) => {
        const bytes = Uint8Array.of(first, ...rest);
        const packet = readPacket(bytes);
        if (typeof packet === "string") return;
        const list = readMessages(packet, () => undefined);
        const writer = new ByteWriter();
        writePacketHeader(writer, packet);
        expect(writer.length + packet.messages.length).toBe(bytes.length);
        expect(writer.bytes(packet.messages).take()).toEqual(bytes);
        if (typeof list === "string") return;
        const again = new ByteWriter();
        for (const { kind, body } of list) writeMessage(again, kind, body, packet);
        // The bytes are shorter if messages of unknown kinds were skipped.
        const isComplete = again.length === packet.messages.length;
        expect(isComplete ? again.take() : packet.messages).toEqual(packet.messages);
      }),
      { numRuns: 3000 },
    );
  });

  test("[WF2] are refused if they are too short for their flags", () => {
    for (const flags of [0, 2, 4, 6, 8, 16, 18, 20, 22, 24, 0x20, 0x28, 0x38, 0xff & ~9]) {
      const sequenceBytes = flags >> 5 === MessageKind.state && flags & 8 ? 1 : 2;
      const answerBytes = (flags & 2 ? 3 : 0) + (flags & 4 ? 2 : 0);
      const headBytes = 1 + sequenceBytes + (flags & 16 ? 2 : 0) + answerBytes + (flags & 2 ? 4 : 0);
      const bytes = new Uint8Array(headBytes);
      bytes[0] = flags;
      // Flags for all four bytes of the bitmap.
      if (flags & 2) bytes[headBytes - (flags & 4 ? 7 : 5)] = 15;
      for (let length = 0; length < headBytes; length++) {
        expect(readPacket(bytes.subarray(0, length))).toBe("too-short");
      }
      expect(readPacket(bytes)).toBeTypeOf("object");
    }
  });

  test("[WF4] [WF2] are refused if they are routed, or published with acks or a receipt", () => {
    const refused = Array.from({ length: 256 }, (_, first) => first).filter(
      (first) => readPacket(Uint8Array.of(first, ...new Uint8Array(31))) === "flags",
    );
    const isRefused = (first: number): boolean =>
      (first & 1) !== 0 || ((first & 8) !== 0 && (first & 6) !== 0);
    expect(refused).toEqual(Array.from({ length: 256 }, (_, first) => first).filter(isRefused));
  });

  test("[WF8] are accepted up to the length limit", () => {
    const bytes = new Uint8Array(limits.reliablePacketBytes);
    expect(readPacket(bytes)).toBeTypeOf("object");
    expect(readPacket(Uint8Array.of(...bytes, 0))).toBe("too-long");
  });
});

describe("messages", () => {
  test("[WF6] of unknown kinds are skipped and counted, the others kept in order", () => {
    const known: ReadonlySet<number> = new Set(Object.values(MessageKind));
    const anything = array(tuple(integer({ min: 0, max: 255 }), uint8Array({ maxLength: 5 })), {
      maxLength: 8,
    });
    assert(
      property(anything, (list) => {
        const writer = new ByteWriter();
        for (const [kind, body] of list) writeMessage(writer, kind as MessageKind, body);
        let unknown = 0;
        const read = readMessages({ messages: writer.take() }, () => (unknown += 1));
        const expected = list.filter(([kind]) => known.has(kind)).map(([kind, body]) => ({ kind, body }));
        expect(read).toEqual(expected);
        expect(unknown).toBe(list.length - expected.length);
      }),
      RUNS,
    );
  });

  test("[WF6] that do not fill the packet exactly make the whole packet malformed", () => {
    assert(
      property(messages, (list) => {
        const bytes = written({ sequence: 0, tick: 0, isPublished: true }, list).subarray(5);
        const ends = new Set([0]);
        let at = 0;
        for (const { body } of list) ends.add((at += messageBytes(body.length)));
        for (let length = 0; length < bytes.length; length++) {
          const read = readMessages({ messages: bytes.subarray(0, length) }, never);
          expect(typeof read === "string").toBe(!ends.has(length));
        }
      }),
      { numRuns: 50 },
    );
  });

  test.each([0, 1, 127, 128, 16_383, 16_384])(
    "have the size of messageBytes: body of %i bytes",
    (bodyBytes) => {
      const writer = new ByteWriter();
      writeMessage(writer, MessageKind.event, new Uint8Array(bodyBytes));
      expect(writer.length).toBe(messageBytes(bodyBytes));
    },
  );
});

describe("envelopes", () => {
  test("[WF21] are decoded as they were encoded", () => {
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

  test("[WF7] [WF21] are canonical", () => {
    assert(
      property(integer({ min: 0, max: 127 }), uint8Array({ maxLength: 30 }), (said, rest) => {
        const bytes = Uint8Array.of(2 * said + 1, ...rest);
        const read = readEnvelope(bytes);
        if (typeof read === "string") return;
        const writer = new ByteWriter();
        writeEnvelope(writer, read);
        expect(writer.take()).toEqual(bytes);
      }),
      { numRuns: 3000 },
    );
  });

  test("[WF2] [WF21] are refused without the flag, or if the class is unknown or cannot be broadcast", () => {
    const all = Array.from({ length: 256 }, (_, first) => first);
    const read = all.map((first) => readEnvelope(Uint8Array.of(first, 1, 2, 2, 2, 7, 0, 2, 9, 9)));
    expect(all.filter((first) => read[first] === "flags")).toEqual(all.filter((first) => first % 2 === 0));
    const isUnknown = (first: number): boolean => {
      const said = (first >> 1) & 7;
      return first % 2 === 1 && (said > 5 || ((first & 16) !== 0 && said !== 3));
    };
    expect(all.filter((first) => read[first] === "unknown-kind")).toEqual(all.filter(isUnknown));
  });

  test("[WF21] are malformed with an empty second byte or an unknown flag", () => {
    expect(readEnvelope(Uint8Array.of(0x81, 0, 2, 9))).toBe("length");
    expect(readEnvelope(Uint8Array.of(0x81, 32, 2, 9))).toBe("length");
    expect(readEnvelope(Uint8Array.of(0x81, 1, 2, 9))).toMatchObject({ epoch: 1, peers: [2] });
    expect(readEnvelope(Uint8Array.of(0x01, 0x80, 0x80, 0x04, 9))).toBe("length");
  });

  test("[WF8] [WF21] hold a packet up to the length limit and 64 receivers", () => {
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

  test("[WF24] may have the prompt flag with any number of receivers", () => {
    const counts = Array.from({ length: 256 }, (_, count) => count).filter((count) => {
      const read = readEnvelope(Uint8Array.of(0x67, count, ...new Uint8Array(count), 9));
      return typeof read !== "string" && read.isPrompt === true;
    });
    expect(counts).toEqual(Array.from({ length: 63 }, (_, more) => more + 2));
    expect(readEnvelope(Uint8Array.of(0x47, 7, 9))).toMatchObject({ isPrompt: true, peers: [7] });
  });

  test("[WF21] cost two bytes for one receiver; the server forwards only class, epoch and sender", () => {
    const bytesOf = (of: Parameters<typeof writeEnvelope>[1]): number => {
      const writer = new ByteWriter();
      writeEnvelope(writer, of);
      return writer.length - of.packet.length;
    };
    const packet = Uint8Array.of(9);
    const subject = { entity: 0x10003, sequence: 5 };
    const sent = { trafficClass: "state", key: 4, subject, isPrompt: true, peers: [2, 3], packet } as const;
    expect(bytesOf({ trafficClass: "state", key: 0, peers: [1], packet })).toBe(1 + 1);
    expect(bytesOf(sent)).toBe(2 + 2 + 6 + 1 + 2);
    expect(downwardOf(sent, 1)).toMatchObject({ key: 0, peers: [1] });
    expect(bytesOf(downwardOf(sent, 1))).toBe(1 + 1);
  });
});
