import {
  defineEntity,
  enumOf,
  flag,
  group,
  scalar,
  string,
  vec2,
  type Entity,
  type EntityDefinition,
  type NetError,
  type Room,
} from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc } from "@paceline/testkit/room";
import { Session } from "@paceline/transport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Door } from "../src/browser/door.js";
import { RelayStage } from "./relay-stage.js";

const position = vec2({ range: [-500, 500], precision: 0.01, unit: "m" });

const Old = defineEntity(
  "sled",
  {
    position,
    heat: scalar({ range: [0, 1], precision: 0.01 }),
    gear: enumOf(["off", "slow"]),
    horn: flag(),
    driver: string({ maxBytes: 8 }),
    seat: group({ x: scalar({ range: [0, 1], precision: 0.1 }), back: flag() }),
  },
  { motion: "velocity" },
);

/**
 * The fields of a later build: in another order, with wider bounds, without a horn, with a field of another
 * kind, and with two new fields.
 */
const New = defineEntity(
  "sled",
  {
    mass: scalar({ range: [0, 900], precision: 1, default: 80 }),
    driver: string({ maxBytes: 20 }),
    heat: scalar({ range: [-2, 2], precision: 0.001 }),
    gear: enumOf(["off", "slow", "fast"]),
    seat: group({
      back: scalar({ range: [0, 1], precision: 0.5 }),
      x: scalar({ range: [0, 1], precision: 0.1 }),
    }),
    position: vec2({ range: [-2000, 2000], precision: 0.02, unit: "m" }),
    title: string({ maxBytes: 9, default: "none" }),
  },
  { motion: "velocity" },
);

const paths = {
  relayed: () => ({}),
  direct: () => {
    const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
    return { transports: ["webrtc", "websocket"], webRtc } as const;
  },
};

afterEach(() => vi.restoreAllMocks());

async function meeting(count: number, options: object) {
  const stage = new RelayStage({ delayMs: 30 });
  const rooms: Room[] = [];
  const errors: NetError[][] = [];
  while (rooms.length < count) {
    const room = await stage.join(stage.player({}, { profile: "racing", ...options }));
    const heard: NetError[] = [];
    room.onError((error) => heard.push(error));
    rooms.push(room);
    errors.push(heard);
  }
  for (let step = 0; step < 10; step++) {
    await stage.advance(300);
    await vi.dynamicImportSettled();
  }
  return { stage, rooms, errors };
}

function remoteOf<D extends EntityDefinition>(room: Room, kind: D): Entity<D>[] {
  return [...room.entities(kind)].filter(({ isMine }) => !isMine);
}

function countSent(kind: number): () => number {
  const answer = vi.spyOn(Session.prototype, "answer");
  return () => answer.mock.calls.filter(([[payload]]) => payload?.[0] === kind).length;
}

describe.each(Object.entries(paths))("two builds in a mesh, %s", (path, options) => {
  test("[WF14] [WF17] read each other's known fields, skip the others, and say so once", async () => {
    const { stage, rooms, errors } = await meeting(2, options());
    const [older, newer] = rooms as [Room, Room];
    expect(older.peers[0]!.path).toBe(path === "direct" ? "direct" : "relay");
    const mine = older.spawn(Old, { heat: 0.25, gear: "slow", driver: "ann", horn: true });
    const theirs = newer.spawn(New, { heat: -1.5, gear: "fast", driver: "a long name", mass: 300 });
    const second = newer.spawn(New, { heat: 0.5, gear: "slow", driver: "bob" });
    expect([remoteOf(older, Old), remoteOf(newer, New)]).toEqual([[], []]);
    for (let tick = 1; tick <= 180; tick++) {
      const driven = Math.min(tick, 120);
      mine.position.set(driven / 4, -3);
      theirs.position.set(driven * 8, 7);
      second.position.set(1, driven / 10);
      mine.seat.x = 0.5;
      for (const room of rooms) room.advance();
      await stage.advance(1000 / 60);
      if (tick % 20 === 1) await vi.dynamicImportSettled();
    }
    await stage.advance(500);
    const [atNew] = remoteOf(newer, New);
    expect(atNew!.position).toMatchObject({ x: 30, y: -3 });
    expect([atNew!.heat, atNew!.gear, atNew!.driver, atNew!.seat.x]).toEqual([0.25, "slow", "ann", 0.5]);
    // Fields that the older build lacks, or has as another kind, keep their initial values.
    expect([atNew!.mass, atNew!.title, atNew!.seat.back]).toEqual([80, "none", 0]);
    const [first, next] = remoteOf(older, Old);
    // Values stay in the reader's own range. A name or a text that the reader cannot have leaves its own
    // value.
    expect(first!.position).toMatchObject({ x: 500, y: 7 });
    expect([first!.heat, first!.gear, first!.driver, first!.horn]).toEqual([0, "off", "", false]);
    expect(next!.position.y).toBeCloseTo(12, 1);
    expect([next!.heat, next!.gear, next!.driver]).toEqual([0.5, "slow", "bob"]);
    for (const [index, heard] of errors.entries()) {
      const { myNumber } = rooms[1 - index]!;
      expect(heard.map(({ code }) => code)).toEqual(["schema/mismatch"]);
      expect(heard[0]!.message).toContain(`peer ${myNumber} describes "sled" differently`);
      expect(heard[0]!.message).toContain('"heat" in other bounds');
    }
    expect(errors[0]![0]!.message).toMatch(
      /no "horn".*"seat.back" as scalar.*"mass" besides.*"title" besides/,
    );
    newer.despawn(second);
    await stage.advance(300);
    expect(remoteOf(older, Old)).toEqual([first]);
    expect(rooms.map(({ drops }) => drops.of("bad-message"))).toEqual([0, 0]);
  });

  test("[WF17] do not ask for columns if both builds are equal", async () => {
    const asked = countSent(0x0a);
    const { stage, rooms, errors } = await meeting(2, options());
    const [a, b] = rooms as [Room, Room];
    const mine = a.spawn(Old, { heat: 0.5 });
    expect(remoteOf(b, Old)).toEqual([]);
    for (let tick = 1; tick <= 30; tick++) {
      mine.position.x = tick;
      a.advance();
      await stage.advance(1000 / 60);
      if (tick % 20 === 1) await vi.dynamicImportSettled();
    }
    await stage.advance(300);
    expect(remoteOf(b, Old)[0]?.heat).toBe(0.5);
    expect([asked(), errors.flat()]).toEqual([0, []]);
  });
});

test("[WF17] a newcomer of another build asks for columns at the slot, and so once per stream and pair", async () => {
  const asked = countSent(0x0a);
  const { stage, rooms } = await meeting(2, {});
  const [owner, same] = rooms as [Room, Room];
  const sleds = [0.1, 0.2, 0.3].map((heat) => owner.spawn(New, { heat }));
  expect(remoteOf(same, New)).toEqual([]);
  await stage.advance(1000);
  const late = await stage.join(stage.player({}, { profile: "racing" }));
  const told: string[] = [];
  late.onError(({ code }) => told.push(code));
  expect(remoteOf(late, Old)).toEqual([]);
  for (let tick = 1; tick <= 120; tick++) {
    sleds[0]!.position.x = Math.min(tick, 60);
    owner.advance();
    await stage.advance(1000 / 60);
    if (tick % 20 === 1) await vi.dynamicImportSettled();
  }
  await stage.advance(500);
  expect(remoteOf(late, Old).map(({ heat }) => heat)).toEqual(
    [0.1, 0.2, 0.3].map((heat) => expect.closeTo(heat, 3)),
  );
  expect(remoteOf(late, Old)[0]!.position.x).toBeCloseTo(60, 1);
  expect(remoteOf(same, New).map(({ heat }) => heat)).toEqual(
    [0.1, 0.2, 0.3].map((heat) => expect.closeTo(heat, 3)),
  );
  // One request and one answer.
  expect([asked(), told]).toEqual([2, ["schema/mismatch"]]);
});

describe("the code to read another build", () => {
  test("is loaded again until it is there, on both sides", async () => {
    const { stage, rooms, errors } = await meeting(2, {});
    const [older, newer] = rooms as [Room, Room];
    const broken = vi.spyOn(Door.prototype, "open").mockRejectedValue(new Error("404"));
    older.spawn(Old, { heat: 0.25 });
    newer.spawn(New, { heat: 0.5 });
    const play = async (): Promise<void> => {
      for (let tick = 0; tick < 10; tick++) {
        for (const room of rooms) room.advance();
        await stage.advance(400);
        await vi.dynamicImportSettled();
      }
    };
    await play();
    expect([remoteOf(older, Old), remoteOf(newer, New)]).toEqual([[], []]);
    broken.mockRestore();
    await play();
    expect([remoteOf(older, Old)[0]?.heat, remoteOf(newer, New)[0]?.heat]).toEqual([0.5, 0.25]);
    expect(errors.map((heard) => heard.map(({ code }) => code))).toEqual([
      ["schema/mismatch"],
      ["schema/mismatch"],
    ]);
  });
});
