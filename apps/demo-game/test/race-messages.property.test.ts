import { anything, assert, constantFrom, oneof, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import {
  MAX_CHAT_LENGTH,
  MAX_NAME_LENGTH,
  readAnnouncement,
  readChat,
  readColor,
  readDriverCard,
  readGivenCar,
  readLap,
  readText,
} from "../src/race/race-messages.js";

const good = {
  race: 4,
  phase: "racing",
  elapsedMs: 1200,
  laps: 3,
  grid: [1, 2],
  entries: [{ number: 1, laps: 1, totalMs: 40_000, bestMs: 40_000, finished: false }],
};

test("reading any message of a peer neither throws nor returns an invalid value", () => {
  const nearly = record({
    race: anything(),
    phase: oneof(anything(), constantFrom("countdown", "racing", "results")),
    elapsedMs: anything(),
    laps: anything(),
    grid: anything(),
    entries: anything(),
    lap: anything(),
    timeMs: anything(),
    totalMs: anything(),
    name: anything(),
    color: anything(),
    text: anything(),
  });
  assert(
    property(oneof(anything(), nearly), (message) => {
      const lap = readLap(message) ?? { timeMs: 0, totalMs: 0 };
      expect(lap.totalMs).toBeGreaterThanOrEqual(lap.timeMs);
      expect(readDriverCard(message)?.color ?? "#000000").toMatch(/^#[0-9a-f]{6}$/);
      expect(Number.isInteger(readAnnouncement(message)?.race ?? 0)).toBe(true);
      expect(Array.from(readChat(message) ?? "").length).toBeLessThanOrEqual(MAX_CHAT_LENGTH);
    }),
    { numRuns: 400 },
  );
});

test("text is cut, trimmed and free of control characters", () => {
  assert(
    property(string({ unit: "binary", maxLength: 400 }), (value) => {
      const text = readText(value, MAX_NAME_LENGTH) ?? "";
      expect(Array.from(text).length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
      expect(text).toBe(text.trim());
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }),
  );
  expect(readText("  a\u0000\u202e b\n", 16)).toBe("a b");
  expect(readText("   ", 16)).toBeUndefined();
  expect(readText(7, 16)).toBeUndefined();
});

test("valid messages are read in full", () => {
  expect(readAnnouncement(good)).toEqual(good);
  const lap = { race: 1, lap: 2, timeMs: 41_000, totalMs: 82_000 };
  expect(readLap({ ...lap, extra: true })).toEqual(lap);
  expect(readDriverCard({ name: "Ada", color: "#FF0000" })).toEqual({
    name: "Ada",
    color: "#ff0000",
    isComputer: false,
  });
  expect(readChat({ text: "hello" })).toBe("hello");
});

test("impossible laps, unknown phases, too many entries and colours with CSS in them are refused", () => {
  expect(readLap({ race: 1, lap: 1, timeMs: 3, totalMs: 3 })).toBeUndefined();
  expect(readLap({ race: 1, lap: 1, timeMs: Number.NaN, totalMs: 50_000 })).toBeUndefined();
  expect(readLap({ race: 1, lap: 0, timeMs: 41_000, totalMs: 41_000 })).toBeUndefined();
  expect(readAnnouncement({ ...good, phase: "party" })).toBeUndefined();
  expect(readAnnouncement({ ...good, elapsedMs: -1 })).toBeUndefined();
  expect(readAnnouncement({ ...good, grid: Array.from({ length: 65 }, () => 1) })).toBeUndefined();
  expect(readAnnouncement({ ...good, entries: [{ number: 1 }] })).toBeUndefined();
  expect(readColor("red;background:url(//x)")).toBeUndefined();
});

const given = {
  race: 4,
  x: 10,
  y: -20,
  headingRad: 1,
  velocityX: 20,
  velocityY: 0,
  place: { lapsDone: 1, nextGate: 5, lapSteps: 900 },
  totalMs: 40_000,
};

test("a message that gives a car away is refused if any field is invalid", () => {
  expect(readGivenCar(given)).toEqual(given);
  assert(property(anything(), (value) => readGivenCar(value) === undefined || typeof value === "object"));
  for (const field of Object.keys(given)) {
    for (const wrong of [undefined, null, "5", Number.NaN, Infinity, -1e9, {}]) {
      expect(readGivenCar({ ...given, [field]: wrong }), `reading a wrong ${field}`).toBeUndefined();
    }
  }
  for (const field of Object.keys(given.place)) {
    for (const wrong of [-1, 0.5, 1e9, "1"]) {
      expect(readGivenCar({ ...given, place: { ...given.place, [field]: wrong } })).toBeUndefined();
    }
  }
});
