import type { Room } from "@paceline/client";
import { afterEach, expect, test, vi } from "vitest";
import { until } from "./until.js";

const DOORS = { velocity: "../src/doors/motion.js", turn: "../src/doors/reckoners.js" };
const files = { areThere: false, asked: 0 };

afterEach(() => {
  for (const door of Object.values(DOORS)) vi.doUnmock(door);
  vi.resetModules();
});

test.each(["velocity", "turn"] as const)(
  "a kind with the motion %s that the game describes after the join holds until the code has come",
  { timeout: 30_000 },
  async (motion) => {
    vi.resetModules();
    Object.assign(files, { areThere: false, asked: 0 });
    vi.doMock(DOORS[motion], (original) => {
      files.asked += 1;
      if (!files.areThere) throw new Error("404");
      return original();
    });
    const { Stage } = await import("./stage.js");
    const { defineEntity, vec2 } = await import("@paceline/client");
    const stage = new Stage();
    const [a, b] = (await stage.meet(await stage.server(), 2)) as [Room, Room];
    const fields = {
      position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
      velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    };
    const Cart = defineEntity("cart", fields, { motion });
    expect(files.asked).toBe(0);
    const own = a.spawn(Cart, { position: { x: 5, y: 6 }, velocity: { x: 20, y: 0 } });
    const seen = () => [...b.entities(Cart)].find(({ isMine }) => !isMine);
    await until("b sees it", () => seen() !== undefined);
    own.position.x = 8;
    await until("b has the news", () => seen()?.position.x === 8);
    expect(seen()?.shown.position.x).toBe(8);
    await until("the code was asked for", () => files.asked > 0);
    files.areThere = true;
    await until("b moves it on", () => Number(seen()?.shown.position.x) > 8.2, 15_000);
    expect(seen()?.position.x).toBe(8);
    own.position.x = 9;
    await until("b has the later news", () => seen()?.position.x === 9);
    await stage.clear();
  },
);
