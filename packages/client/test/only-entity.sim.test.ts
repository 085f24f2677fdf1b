import { ConfigError, defineEntity, enumOf, list, string, uint, vec2, type Room } from "@paceline/client";
import { describe, expect, expectTypeOf, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const Score = defineEntity("score", {
  red: uint({ range: [0, 999] }),
  lives: uint({ range: [0, 9], default: 3 }),
  phase: enumOf(["lobby", "race", "results"]),
  map: string({ maxBytes: 20, default: "hills" }),
  flag: vec2({ range: [-100, 100], precision: 0.01 }),
  laps: list(uint({ range: [0, 99] }), 2),
});

const valuesOf = (room: Room): unknown[] => {
  const { red, lives, phase, map, flag, laps } = room.only(Score);
  return [red, lives, phase, map, { ...flag }, [...laps]];
};
const initial = [0, 3, "lobby", "hills", { x: 0, y: 0 }, [0, 0]];

async function meeting(count: number) {
  const stage = new RelayStage({ delayMs: 30 });
  const players = Array.from({ length: count }, () => stage.player());
  const rooms: Room[] = [];
  for (const player of players) rooms.push(await stage.join(player));
  await stage.advance(500);
  for (const room of rooms) room.only(Score);
  await stage.advance(500);
  return { stage, players, rooms: rooms as [Room, Room, Room] };
}

describe("one-of-a-kind state among players", () => {
  test("is written by the player who came first, and read by all, also by latecomers", async () => {
    const { stage, rooms } = await meeting(2);
    const [a, b] = rooms;
    expect([a.only(Score).isMine, b.only(Score).isMine]).toEqual([true, false]);
    expect([a.only(Score).owner, b.only(Score).owner?.number]).toEqual([null, a.myNumber]);
    expect([valuesOf(a), valuesOf(b)]).toEqual([initial, initial]);
    const score = a.only(Score);
    expect(a.only(Score)).toBe(score);
    score.red = 7;
    score.phase = "race";
    score.map = "city";
    score.flag.set(3, 4);
    score.laps[1] = 5;
    await stage.advance(1000);
    const now = [7, 3, "race", "city", { x: 3, y: 4 }, [0, 5]];
    expect([valuesOf(a), valuesOf(b)]).toEqual([now, now]);
    const late = await stage.join();
    expect(late.only(Score).isMine).toBe(false);
    await stage.advance(1000);
    expect(valuesOf(late)).toEqual(now);
    expect([...late.entities(Score)]).toHaveLength(1);
  });

  test("refuses writes of all others, and names the writer", async () => {
    const { rooms } = await meeting(2);
    const score = rooms[1].only(Score);
    expect(() => (score.red = 1)).toThrow(new ConfigError("score.red", 1, "nothing: player 1 writes it"));
    expect(() => (score.flag.x = 1)).toThrow(ConfigError);
    expect(() => score.flag.set(1, 2)).toThrow(ConfigError);
    expect(() => (score.laps[0] = 1)).toThrow(ConfigError);
    expect(() => ((score as { flag: unknown }).flag = { x: 1, y: 1 })).toThrow(ConfigError);
    expect(valuesOf(rooms[1])).toEqual(initial);
    expect(() => (rooms[0].only(Score).red = 1000)).toThrow(
      "score.red: expected a whole number from 0 to 999",
    );
  });

  test("moves to the next player when its writer leaves, with all values and without a visible change", async () => {
    const { stage, rooms } = await meeting(3);
    const [a, b, c] = rooms;
    const told: unknown[] = [];
    for (const room of [b, c]) {
      for (const name of ["red", "map", "flag", "laps"] as const) {
        room.only(Score).onChange(name, (value) => told.push([room.myNumber, name, value]));
      }
    }
    a.only(Score).red = 42;
    a.only(Score).map = "city";
    await stage.advance(1000);
    expect(told).toHaveLength(4);
    told.length = 0;
    a.leave();
    await stage.advance(1000);
    expect(rooms.slice(1).map((room) => room.only(Score).isMine)).toEqual([true, false]);
    const kept = [42, 3, "lobby", "city", { x: 0, y: 0 }, [0, 0]];
    expect([valuesOf(b), valuesOf(c)]).toEqual([kept, kept]);
    expect(told).toEqual([]);
    b.only(Score).red += 1;
    await stage.advance(500);
    expect(told).toEqual([
      [b.myNumber, "red", 43],
      [c.myNumber, "red", 43],
    ]);
    b.leave();
    await stage.advance(500);
    expect([c.only(Score).isMine, c.only(Score).red]).toEqual([true, 43]);
    expect([...c.entities(Score)]).toHaveLength(1);
  });

  test("stays with a writer who is briefly away", async () => {
    const { stage, rooms, players } = await meeting(2);
    const [a, b] = rooms;
    a.only(Score).red = 5;
    players[0]!.offline();
    await stage.advance(3000);
    expect([a.only(Score).isMine, b.only(Score).isMine]).toEqual([true, false]);
    a.only(Score).red = 6;
    players[0]!.online();
    await stage.advance(8000);
    expect([a.only(Score).isMine, b.only(Score).isMine, b.only(Score).red]).toEqual([true, false, 6]);
  });

  test("ignores an entity of another player, and returns when its writer has despawned it", async () => {
    const { stage, rooms } = await meeting(2);
    const [a, b] = rooms;
    a.only(Score).red = 5;
    b.spawn(Score, { red: 999 });
    await stage.advance(1000);
    expect([a.only(Score).red, b.only(Score).red]).toEqual([5, 5]);
    for (const entity of [...a.entities(Score)]) if (entity.isMine) a.despawn(entity);
    await stage.advance(1000);
    expect([a.only(Score).red, b.only(Score).red, a.only(Score).isMine]).toEqual([5, 5, true]);
    a.only(Score).red = 6;
    await stage.advance(1000);
    expect(b.only(Score).red).toBe(6);
  });

  test("knows the types of its fields", async () => {
    const { rooms } = await meeting(1);
    const score = rooms[0].only(Score);
    expectTypeOf(score.phase).toEqualTypeOf<"lobby" | "race" | "results">();
    score.onChange("flag", (flag) => expectTypeOf(flag.x).toEqualTypeOf<number>());
    // @ts-expect-error blue is no field
    expect(() => score.onChange("blue", () => undefined)).toThrow(ConfigError);
    expect(() => (score.red = "1" as never)).toThrow(ConfigError);
  });
});
