import { encodeValue } from "@paceline/protocol";
import { describeSavedRoom, readSavedRoom, writeSavedRoom, type SavedRoom } from "@paceline/relay";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const bytes = (most = 40): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength: most });
const number16 = fc.integer({ min: 0, max: 0xffff });
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** Plain data. A message refuses the key `__proto__`. */
const plain = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !JSON.stringify(value).includes("__proto__"))
  .map((value) => encodeValue(value));
const queue = fc.record({
  firstId: number16,
  fragments: fc.array(bytes(), { maxLength: 5 }),
  unfinished: fc.array(fc.nat({ max: 4 }), { maxLength: 2 }),
  uncut: fc.array(bytes(), { maxLength: 2 }),
});
const inbox = fc.record({ expected: number16, parts: bytes() });
const seat = (number: number) =>
  fc.record({
    id: fc.constant(`session-${number}`),
    number: fc.constant(number),
    seat: fc.constant(number),
    webrtc: fc.boolean(),
    isSpectator: fc.boolean(),
    address: fc.string({ maxLength: 30 }),
    isHidden: fc.boolean(),
    tokens: fc.array(hash, { maxLength: 4 }),
    resumeTokens: fc.array(fc.record({ hash, messageId: number16 }), { maxLength: 3 }),
    isExact: fc.boolean(),
    session: fc.record({
      sent: fc.record({ sequence: number16, packetsSent: number16, command: queue, bulk: queue }),
      received: fc.record({ command: inbox, bulk: inbox }),
    }),
    further: fc.array(bytes(), { maxLength: 3 }),
    slots: fc.array(fc.record({ stream: number16, ageMs: fc.nat(), state: bytes() }), { maxLength: 2 }),
  });
const player = fc.record({
  number: number16,
  auth: plain,
  options: plain,
  userData: plain,
  terms: fc.array(bytes(), { maxLength: 2 }),
  isResumable: fc.boolean(),
  own: fc.array(number16, { maxLength: 4 }),
  ownTickHz: fc.integer({ min: 0, max: 255 }),
  removals: fc.array(fc.nat(), { maxLength: 4 }),
  from: fc.array(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
    { maxLength: 3 },
  ),
  watched: fc.array(number16, { maxLength: 3 }),
});
const game = fc.record({
  tick: fc.nat(),
  tickHz: fc.integer({ min: 1, max: 255 }),
  elapsedMs: fc.nat(),
  inputHash: fc.nat(),
  options: plain,
  maxPlayers: number16,
  maxSpectators: number16,
  nextId: number16,
  kinds: fc.array(
    fc.record({
      name: fc.string({ maxLength: 20 }),
      schemaHash: fc.nat(),
      columns: bytes(),
      count: fc.nat(),
    }),
    { maxLength: 3 },
  ),
  made: fc.array(number16, { maxLength: 4 }),
  players: fc.array(player, { maxLength: 3 }),
  lists: fc.array(fc.record({ entity: number16, path: fc.string({ maxLength: 20 }), items: plain }), {
    maxLength: 3,
  }),
  timers: plain,
  data: plain,
});
const savedRoom: fc.Arbitrary<SavedRoom> = fc.record({
  wire: fc.nat({ max: 9 }),
  build: fc.string({ maxLength: 10 }),
  savedAtMs: fc.nat(),
  clockMs: fc.nat(),
  isFinal: fc.boolean(),
  place: fc.record({
    id: fc.constant("room-1"),
    name: fc.constant("race"),
    code: fc.constant("BCDF23"),
    optionsKey: fc.constant('[["track","loop"]]'),
    build: fc.string({ maxLength: 10 }),
    openedBy: fc.string({ maxLength: 10 }),
    maxPlayers: number16,
    maxSpectators: number16,
    isLocked: fc.boolean(),
    isPrivate: fc.boolean(),
    isKept: fc.boolean(),
    metadata: fc.constant(encodeValue({ map: 1 })),
    lastNumber: number16,
  }),
  seats: fc
    .nat({ max: 3 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => seat(at + 1)))),
  game,
  states: fc.array(bytes(200), { maxLength: 3 }),
});

describe("a saved room", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(savedRoom, (saved) => {
        expect(readSavedRoom(writeSavedRoom(saved).slice())).toEqual(saved);
      }),
      { numRuns: 60 },
    );
  });

  test("cut at any length is refused with a sentence", () => {
    const whole = writeSavedRoom(fc.sample(savedRoom, { numRuns: 1, seed: 3 })[0]!).slice();
    for (let length = 0; length < whole.length; length++) {
      const cut = readSavedRoom(whole.subarray(0, length));
      expect(typeof cut, `${length} of ${whole.length} bytes`).toBe("string");
    }
  });

  test("with any bytes changed is read or refused, and described, without a throw", () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(savedRoom, fc.array(change, { minLength: 1, maxLength: 6 }), (saved, changes) => {
        const edited = writeSavedRoom(saved).slice();
        for (const [at, byte] of changes) edited[at % edited.length] = byte;
        const read = readSavedRoom(edited);
        const described = describeSavedRoom(edited);
        expect("problem" in described).toBe(typeof read === "string");
      }),
      { numRuns: 300 },
    );
  });

  test("of any bytes at all is refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (any) => {
        expect(typeof readSavedRoom(any)).toBe("string");
      }),
      { numRuns: 300 },
    );
  });

  test("is described for people: who is in it, and what the game keeps, but no secrets", () => {
    const [saved] = fc.sample(savedRoom, { numRuns: 1, seed: 5 });
    const data = encodeValue({ laps: 3 });
    const described = describeSavedRoom(writeSavedRoom({ ...saved!, game: { ...saved!.game!, data } }));
    expect(described).toMatchObject({
      room: {
        id: "room-1",
        name: "race",
        code: "BCDF23",
        metadata: { map: 1 },
        options: [["track", "loop"]],
      },
      game: { tick: saved!.game!.tick, data: { laps: 3 } },
    });
    expect(JSON.stringify(described)).not.toMatch(/tokens|hash/i);
  });
});
