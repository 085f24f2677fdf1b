import {
  ConfigError,
  PayloadKind,
  limits,
  readClientMessage,
  readEvent,
  readPeerPayload,
  readServerMessage,
  writeControl,
  writeEvent,
  writePeerPayload,
  type ClientMessage,
  type ServerMessage,
} from "@paceline/protocol";
import { assert, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { peerPayload } from "./arbitraries.js";

describe("payloads between participants", () => {
  test("[WF13] [WF14] [WF15] are decoded as they were encoded", () => {
    assert(
      property(peerPayload, (payload) => {
        const bytes = writePeerPayload(payload);
        expect(bytes[0]).toBe(PayloadKind[payload.kind]);
        expect(readPeerPayload(bytes)).toEqual(payload);
      }),
      { numRuns: 1000 },
    );
  });

  test("[WF7] streams, references, resyncs, columns and changes are canonical", () => {
    assert(
      property(uint8Array({ minLength: 2, maxLength: 24 }), (body) => {
        for (const kind of [7, 8, 9, 10, 13]) {
          const bytes = Uint8Array.of(kind, ...body);
          const read = readPeerPayload(bytes);
          expect(read ? writePeerPayload(read) : bytes).toEqual(bytes);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("[WF13] of an unknown kind are refused", () => {
    const known: ReadonlySet<number> = new Set(Object.values(PayloadKind));
    const unknown = Array.from({ length: 256 }, (_, kind) => kind).filter((kind) => !known.has(kind));
    for (const kind of unknown) expect(readPeerPayload(Uint8Array.of(kind, 0, 0))).toBeUndefined();
    expect(readPeerPayload(new Uint8Array(0))).toBeUndefined();
  });

  test("[WF10] events are decoded as they were encoded", () => {
    expect(readEvent(writeEvent("honk", { loud: true }))).toEqual({
      kind: "command",
      type: "honk",
      message: { loud: true },
    });
    expect(readEvent(writeControl(["honk"]).subarray(1))).toBeUndefined();
    expect(readEvent(writeControl(["honk", 1, 2]).subarray(1))).toBeUndefined();
  });

  test.each(["", "x".repeat(limits.nameBytes + 1), "é".repeat(limits.nameBytes / 2 + 1)])(
    "[WF13] a type of 0 or more than 64 bytes throws: %j",
    (type) => {
      expect(() => writeEvent(type, 1)).toThrow(ConfigError);
      expect(() => writePeerPayload({ kind: "command", type, message: 1 })).toThrow(
        /^type: expected text of 1 to 64/,
      );
      expect(() => writePeerPayload({ kind: "request", id: 1, type, message: 1 })).toThrow(ConfigError);
      expect(readEvent(writeControl([type, 1]).subarray(1))).toBeUndefined();
    },
  );

  test("[WF13] a type may have 64 bytes", () => {
    const type = "é".repeat(limits.nameBytes / 2);
    expect(readEvent(writeEvent(type, 1))?.type).toBe(type);
  });

  test("an error names the path of a value that is not plain data, from the game's message on", () => {
    const message = { x: [0, Number.NaN] };
    for (const write of [
      () => writePeerPayload({ kind: "command", type: "a", message }),
      () => writePeerPayload({ kind: "request", id: 1, type: "a", message }),
      () => writePeerPayload({ kind: "reply", id: 1, ok: true, message }),
      () => writeEvent("a", message),
    ])
      expect(write).toThrow(/^message\.x\[1\]: expected a finite number, got NaN$/);
  });

  test("an undefined member of a message is left out", () => {
    const message = { aim: undefined, x: 1 };
    for (const written of [
      writePeerPayload({ kind: "command", type: "a", message }),
      writePeerPayload({ kind: "request", id: 1, type: "a", message }),
      writePeerPayload({ kind: "reply", id: 1, ok: true, message }),
    ])
      expect(readPeerPayload(written)).toMatchObject({ message: { x: 1 } });
    expect(readEvent(writeEvent("a", message))?.message).toStrictEqual({ x: 1 });
  });

  test("[WF18] a message may nest as deep as the limit leaves inside a payload, and no deeper", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    const write = (levels: number) => () =>
      writePeerPayload({ kind: "command", type: "a", message: nested(levels) });
    const payload = readPeerPayload(write(limits.nestingDepth - 1)());
    expect(payload).toMatchObject({ message: nested(limits.nestingDepth - 1) });
    expect(write(limits.nestingDepth)).toThrow(/^message(\[0\])+: expected at most/);
  });

  test("[WF18] a message may have as many items as the limit leaves inside a payload, and no more", () => {
    const write = (items: number) => () =>
      writeEvent(
        "a",
        Array.from({ length: items }, () => 0),
      );
    const inArray = 2;
    const message = readEvent(write(limits.valueItems - inArray)())?.message;
    expect(message).toHaveLength(limits.valueItems - inArray);
    expect(write(limits.valueItems - inArray + 1)).toThrow(/^message: expected at most 131072 items/);
  });
});

const peer = { number: 7, id: "p", webrtc: false };
const welcome: ServerMessage = {
  type: "welcome",
  sessionId: "s",
  token: "t",
  resumeToken: "u",
  number: 1,
  roomId: "r",
  roomName: "race",
  options: { track: "oval", laps: 3, night: false },
  peers: [peer],
  iceServers: [{ urls: "stun:stun.example.org" }],
};
const serverMessages: readonly ServerMessage[] = [
  welcome,
  { type: "resumed", resumeToken: "v" },
  { type: "stripe", ticket: "w" },
  { type: "moving", endpoint: "https://other.example.org" },
  { type: "draining", timeoutMs: 30_000 },
  { type: "joined", peer },
  { type: "left", number: 0 },
  { type: "back", number: 7 },
  { type: "capabilities", number: 0xffff, webrtc: true },
  { type: "signal", from: 1, attempt: 2, data: { candidate: null } },
  { type: "slot", number: 3, ageMs: 0xffffffff, state: Uint8Array.of(1, 2) },
];
const clientMessages: readonly ClientMessage[] = [
  { type: "capabilities", webrtc: false },
  { type: "signal", to: 1, attempt: 2, data: ["x"] },
  { type: "stripe" },
  { type: "visibility", hidden: true },
  { type: "slot", stream: 255, state: new Uint8Array(limits.slotBytes) },
  { type: "leave" },
];
const body = (message: object): Uint8Array => writeControl(message).subarray(1);

describe("control messages", () => {
  test.each(serverMessages)("[WF26] of the server are decoded as they were encoded: $type", (message) => {
    expect(readServerMessage(body(message))).toEqual(message);
  });

  test.each(clientMessages)("[WF27] of a participant are decoded as they were encoded: $type", (message) => {
    expect(readClientMessage(body(message))).toEqual(message);
  });

  test("[WF26] [WF27] without any one of their fields are malformed", () => {
    const isMalformedWithoutAny = (message: object, read: (bytes: Uint8Array) => unknown): void => {
      for (const missing of Object.keys(message)) {
        const rest = Object.entries(message).filter(([field]) => field !== missing);
        expect(read(body(Object.fromEntries(rest)))).toBeUndefined();
      }
    };
    for (const message of serverMessages) isMalformedWithoutAny(message, readServerMessage);
    for (const message of clientMessages) isMalformedWithoutAny(message, readClientMessage);
  });

  test("[WF26] hold text of 1 to 1024 UTF-16 units", () => {
    const of = (token: string): unknown => readServerMessage(body({ ...welcome, token }));
    expect(of("t".repeat(1024))).toBeDefined();
    expect(of("t".repeat(1025))).toBeUndefined();
    expect(of("")).toBeUndefined();
  });

  test("[WF26] an ICE server with only a part of its credential is read without it", () => {
    const iceServers = [{ urls: "turn:turn.example.org", username: "u" }];
    expect(readServerMessage(body({ ...welcome, iceServers }))).toMatchObject({
      iceServers: [{ urls: "turn:turn.example.org" }],
    });
  });
});
