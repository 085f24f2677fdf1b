import type { ProfileChoice } from "@paceline/client";
import { roomStage } from "@paceline/testkit/room";
import { afterEach, describe, expect, it, test } from "vitest";
import { worldRooms } from "../src/server/world-room.js";
import { Crowd, stepTowards } from "../src/world/crowd.js";
import {
  WHOLE_WORLD,
  WORLD_BOTS,
  Walker,
  allChoices,
  ringsOf,
  roomNameOf,
} from "../src/world/world-kinds.js";

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

const everything = { base: "mmo", numbers: { stateBytesPerSecond: 100_000 } } as const;

async function visit(name: string, x: number, y: number, profile: ProfileChoice = "mmo") {
  const stage = roomStage(worldRooms[name]!, { seed: 3 });
  stop = () => stage.stop();
  const { room } = await stage.join({ options: { x, y }, client: { profile } });
  const walkers = room.entities(Walker);
  await stage.advance(2000);
  return { stage, room, walkers };
}

test("the whole world has everybody", async () => {
  const { walkers } = await visit(WHOLE_WORLD, 500, 500, everything);
  expect(walkers.length).toBe(WORLD_BOTS + 1);
});

test.each(["squares", "hexagons", "quadtree"] as const)(
  "with %s a page gets those around it, and no others",
  async (scheme) => {
    const choice = { scheme, radiusM: 120, rings: 2 } as const;
    const { stage, walkers } = await visit(roomNameOf(choice), 500, 500);
    const own = walkers.find(({ isMine }) => isMine)!;
    expect(own.shown.position.x).toBeCloseTo(500, 0);
    const distances = [...stage.room.entitiesOf(Walker)].map(({ id, position: { x, y } }) => ({
      id,
      distanceM: Math.hypot(x - 500, y - 500),
    }));
    const seen = new Set([...walkers].map(({ id }) => id));
    expect(seen.size).toBeLessThan(150);
    const missing = distances.filter(({ id, distanceM }) => distanceM < 100 && !seen.has(id));
    const tooFar = distances.filter(({ id, distanceM }) => distanceM > 300 && seen.has(id));
    expect([missing, tooFar]).toEqual([[], []]);
  },
);

test("a visitor walks where it clicks, and wrong words move nobody", async () => {
  const choice = { scheme: "squares", radiusM: 60, rings: 1 } as const;
  const { stage, room, walkers } = await visit(roomNameOf(choice), 100, 100);
  room.send("walk", { x: "far", y: 1e9 });
  room.send("walk", { x: 200, y: 100 });
  await stage.advance(12_000);
  const own = walkers.find(({ isMine }) => isMine)!;
  expect(own.shown.position.x).toBeCloseTo(200, 0);
  expect(own.shown.position.y).toBeCloseTo(100, 0);
});

test("each choice has a room of its own, whose rings reach as far as it says", () => {
  const choices = allChoices();
  expect(new Set(choices.map(roomNameOf)).size).toBe(choices.length);
  for (const choice of choices) {
    expect(Object.keys(worldRooms)).toContain(roomNameOf(choice));
    const rings = ringsOf(choice);
    expect(rings).toHaveLength(choice.rings);
    expect(rings.at(-1)!.radiusM).toBe(choice.radiusM);
    expect(rings.map(({ everyTicks }) => everyTicks)).toEqual([1, 2, 4].slice(0, choice.rings));
  }
});

describe("the crowd", () => {
  it("walks inside the world, at most as fast as people run", () => {
    const crowd = new Crowd(50, 1000);
    let before = crowd.walkers.map(({ x, y }) => ({ x, y }));
    for (let ms = 100; ms <= 60_000; ms += 100) {
      crowd.advanceTo(ms);
      const steps = crowd.walkers.map(({ x, y }, index) =>
        Math.hypot(x - before[index]!.x, y - before[index]!.y),
      );
      const margins = crowd.walkers.map(({ x, y }) => Math.min(x, y, 1000 - x, 1000 - y));
      expect(Math.max(...steps)).toBeLessThan(0.81);
      expect(Math.min(...margins)).toBeGreaterThanOrEqual(0);
      before = crowd.walkers.map(({ x, y }) => ({ x, y }));
    }
  });

  it("stands while nobody looks, and does not jump afterwards", () => {
    const crowd = new Crowd(1, 1000);
    crowd.advanceTo(100);
    const { x, y } = crowd.walkers[0]!;
    crowd.advanceTo(3_600_000);
    expect(Math.hypot(crowd.walkers[0]!.x - x, crowd.walkers[0]!.y - y)).toBeLessThan(4.1);
  });

  it("arrives exactly", () => {
    const point = { x: 0, y: 0 };
    expect(stepTowards(point, { x: 3, y: 4 }, 2.5)).toBe(false);
    expect(point).toEqual({ x: 1.5, y: 2 });
    expect(stepTowards(point, { x: 3, y: 4 }, 9)).toBe(true);
    expect(point).toEqual({ x: 3, y: 4 });
  });
});
