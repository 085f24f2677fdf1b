import {
  ByteReader,
  ByteWriter,
  ConfigError,
  angle,
  defineInput,
  flag,
  int,
  readFeedback,
  readFromAuthority,
  readInputs,
  readServerMessage,
  readToAuthority,
  roundInput,
  scalar,
  string,
  writeAuthority,
  writeControl,
  writeFeedback,
  writeInputs,
} from "@paceline/protocol";
import { array, assert, boolean, double, integer, property, tuple, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";

const Drive = defineInput({
  steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
  aim: angle({ precision: 0.01, unit: "rad" }),
  gear: int({ range: [-1, 6] }),
  boost: flag(),
});

const row = tuple(
  double({ min: -1, max: 1, noNaN: true }),
  double({ min: -3.14, max: 3.14, noNaN: true }),
  integer({ min: -1, max: 6 }),
  boolean(),
).map(([steer, aim, gear, boost]) => Float32Array.of(steer, aim, gear, boost ? 1 : 0));

describe("inputs", () => {
  test("[WF32] are decoded as they were encoded, rounded", () => {
    assert(
      property(
        array(row, { minLength: 1, maxLength: 32 }),
        integer({ min: 0, max: 0xffff }),
        (rows, newest) => {
          const rounded = rows.map((each) => roundInput(Drive, each));
          expect(readInputs(Drive, writeInputs(Drive, { newest, rows }))).toEqual({ newest, rows: rounded });
        },
      ),
    );
  });

  test("[WF32] any bytes decode to rounded inputs, or are dropped", () => {
    assert(
      property(uint8Array({ maxLength: 40 }), (bytes) => {
        const read = readInputs(Drive, bytes);
        const rows = typeof read === "string" ? [] : read.rows;
        expect(rows.map((each) => roundInput(Drive, each))).toEqual(rows);
        expect(typeof read === "string" ? read : "length").toMatch(/^(?:length|out-of-range)$/);
      }),
      { numRuns: 2000 },
    );
  });

  test("[WF32] an unchanged input costs one bit", () => {
    const rows = Array.from({ length: 9 }, () => Float32Array.of(0.5, 1, 2, 1));
    const one = writeInputs(Drive, { newest: 1, rows: rows.slice(0, 1) });
    expect(writeInputs(Drive, { newest: 1, rows }).length).toBe(one.length + 1);
  });

  test("an input with a text field is refused", () => {
    expect(() => defineInput({ name: string({ maxBytes: 8 }) })).toThrow(ConfigError);
  });
});

test("[WF31] feedback", () => {
  const body = writeFeedback(new ByteWriter(), { processed: 65_535, leadErrorTicks: -2.25 }).take();
  expect([...body]).toEqual([1, 255, 255, 247]);
  expect(readFeedback(new ByteReader(body))).toEqual({ processed: 65_535, leadErrorTicks: -2.25 });
  expect(readFeedback(new ByteReader(Uint8Array.of(0)))).toEqual({ processed: undefined, leadErrorTicks: 0 });
  for (const bad of [[], [2], [1, 0]])
    expect(readFeedback(new ByteReader(Uint8Array.from(bad)))).toBeUndefined();
});

describe("messages of an authority", () => {
  const welcome = {
    type: "welcome",
    sessionId: "s",
    token: "t",
    resumeToken: "u",
    options: {},
    number: 1,
    roomId: "r",
    roomName: "race",
    peers: [],
    iceServers: [],
  } as const;
  const read = (authority: unknown) => readServerMessage(writeControl({ ...welcome, authority }).subarray(1));

  test("[WF30] the authority's part of a welcome is read, or refused if malformed", () => {
    const authority = { tickHz: 30, kinds: [{ name: "car", schemaHash: 7 }], inputHash: 0 };
    expect(read(authority)).toEqual({ ...welcome, authority });
    expect(read(undefined)).toEqual(welcome);
    for (const bad of [
      1,
      { ...authority, tickHz: 0 },
      { ...authority, kinds: [{}] },
      { tickHz: 1, kinds: [] },
    ]) {
      expect(read(bad)).toBeUndefined();
    }
  });

  test("[WF33] to the authority are read, or refused if malformed", () => {
    for (const message of [
      { type: "kinds", kinds: [{ name: "car", schemaHash: 4_294_967_295 }] },
      { type: "resync", ids: [0, 65_535] },
      { type: "own", localId: 1, name: "car", schemaHash: 5, state: Uint8Array.of(1), tickHz: 60 },
      { type: "disown", localId: 1 },
    ] as const) {
      expect(readToAuthority(writeAuthority(message).subarray(1))).toEqual(message);
    }
    for (const bad of [
      { type: "resync", ids: [65_536] },
      { type: "kinds", kinds: {} },
      { type: "granted" },
      { type: "own", localId: 1, name: "car", schemaHash: 5, state: Uint8Array.of(1) },
      { type: "own", localId: 1, name: "car", schemaHash: 5, state: Uint8Array.of(1), tickHz: 256 },
    ]) {
      expect(readToAuthority(writeControl(bad).subarray(1))).toBeUndefined();
    }
  });

  test("[WF34] from the authority are read, or refused if malformed", () => {
    for (const message of [
      { type: "refused", what: "message", reason: "no such type" },
      { type: "granted", localId: 3, id: 9 },
      { type: "corrected", localId: 3, state: Uint8Array.of(1, 2) },
    ] as const) {
      expect(readFromAuthority(writeAuthority(message).subarray(1))).toEqual(message);
    }
    for (const bad of [
      { type: "refused", what: "it", reason: "" },
      { type: "corrected", localId: 1, state: 1 },
    ]) {
      expect(readFromAuthority(writeControl(bad).subarray(1))).toBeUndefined();
    }
  });
});
