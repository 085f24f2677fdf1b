import { readServerMessage, writeControl, limits, type PeerInfo } from "@paceline/protocol";
import {
  anything,
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  double,
  integer,
  oneof,
  option,
  property,
  record,
  string,
  tuple,
  type Arbitrary,
} from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalOptions,
  isRefusal,
  readJoinCredential,
  readMatchBody,
} from "../src/matchmaking/match-request.js";

const halves = constantFrom("\ud800", "a\udc00", "\udbff\udbff");
const names = oneof(
  string({ unit: "binary" }),
  constantFrom("__proto__", "constructor", "toString", ""),
  halves,
);
const values = oneof(
  string({ unit: "binary", maxLength: 300 }),
  halves,
  boolean(),
  double(),
  integer(),
  constantFrom<unknown>(null, [], {}, -0),
);
/** Options as JSON gives them: a key "__proto__" is a plain property. */
const options: Arbitrary<unknown> = array(tuple(names, values), { maxLength: 18 }).map(
  (entries) =>
    JSON.parse(
      `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`,
    ) as unknown,
);
const body = record(
  {
    version: oneof({ arbitrary: constant<unknown>(5), weight: 20 }, constantFrom<unknown>(0, "1", null)),
    options: oneof({ arbitrary: options, weight: 10 }, anything()),
    webrtc: oneof({ arbitrary: boolean(), weight: 10 }, anything()),
    token: oneof(string({ unit: "binary" }), halves),
    authToken: string({ unit: "binary" }),
    group: option(record({ key: names, size: integer({ min: -1, max: 70 }) })),
    spectate: boolean(),
    method: constantFrom<unknown>("joinOrCreate", "create", "join", "joinById", "reconnect", "steal", 7),
    target: oneof(constantFrom<unknown>("race", 5, null), names),
  },
  { requiredKeys: ["version", "options"] },
);

/** The largest welcome of a relay room, without its options. */
const peers: PeerInfo[] = Array.from({ length: 63 }, (_, index) => ({
  number: 0xff00 + index,
  id: "x".repeat(16),
  webrtc: true,
}));

function expectWelcomeWith(given: Readonly<Record<string, string | number | boolean>>): void {
  const secrets = { sessionId: "s".repeat(16), token: "t".repeat(32), resumeToken: "r".repeat(32) };
  const place = { roomId: "i".repeat(12), roomName: "race", options: given };
  const payload = writeControl({
    type: "welcome",
    ...secrets,
    number: 0xffff,
    ...place,
    peers,
    iceServers: [],
  });
  expect(payload.length).toBeLessThan(limits.reliablePacketBytes - 100);
  const welcome = readServerMessage(payload.subarray(1));
  expect(welcome).toMatchObject({ type: "welcome", roomName: "race", peers });
  expect(canonicalOptions((welcome as { options: typeof given }).options)).toBe(canonicalOptions(given));
}

describe("a match request", () => {
  test("is refused, or its options can be written into a welcome and read back", () => {
    let accepted = 0;
    assert(
      property(oneof({ arbitrary: body, weight: 10 }, anything()), (value) => {
        const wish = readMatchBody(value);
        if (isRefusal(wish)) return;
        accepted += 1;
        expectWelcomeWith(wish.options);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  test("in an upgrade is refused or valid too, with any bytes", () => {
    const encoded = body.map((value) => Buffer.from(JSON.stringify(value)).toString("base64url"));
    let accepted = 0;
    assert(
      property(oneof({ arbitrary: encoded, weight: 10 }, string({ unit: "binary" })), (credential) => {
        const wish = readJoinCredential(credential, 16_384);
        if (isRefusal(wish)) return;
        accepted += 1;
        expectWelcomeWith(wish.options);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(5);
  });

  test.each([
    ['{"__proto__":1}', "no property of that name"],
    ['{"\\ud800":1}', "surrogate"],
    ['{"name":"\\udc00 late half"}', "surrogate"],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`${i}`, "€".repeat(256)]))),
      "4096 bytes",
    ],
  ])("with the options %s is refused: %s", (text, words) => {
    const wish = readMatchBody({ version: 5, options: JSON.parse(text) as unknown });
    expect(wish).toMatchObject({ status: 400, code: "match/bad-request" });
    expect((wish as { message: string }).message).toContain(words);
  });
});
