import { ConfigError, defineEntity, vec2, type Entity } from "@paceline/client";
import { expect, test } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

const FRAME_MS = 1000 / 60;
const fields = { position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }) };
const Kite = defineEntity("kite", fields, { motion: "velocity", threshold: { position: 0.1 } });

test("an entity that all see from afar is sent less often, and is less exact", async () => {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [owner, viewer] = await hub.meet(2);
  const kites = [0, 50, 400].map((viewDistanceM) => {
    const kite = owner!.spawn(Kite);
    kite.viewDistanceM = viewDistanceM;
    return kite;
  });
  const seen = () =>
    kites.map(({ id }) => [...viewer!.entities(Kite)].find((each) => each.id === id) as Entity<typeof Kite>);
  seen();
  const ticks = kites.map(() => new Set<number>());
  const errors = kites.map((): number[] => []);
  for (let tick = 1; tick <= 600; tick++) {
    // The motion needs states more often than the heartbeat.
    const [x, y] = [8 * Math.cos(tick / 20), 8 * Math.sin(tick / 20)];
    for (const kite of kites) kite.position.set(x, y);
    owner!.advance();
    await hub.advance(FRAME_MS, FRAME_MS);
    for (const [index, each] of seen().entries()) {
      if (!each || tick < 60) continue;
      ticks[index]!.add(each.lastTick);
      errors[index]!.push(Math.hypot(each.shown.position.x - x, each.shown.position.y - y));
    }
  }
  const [near, atLimit, far] = ticks.map(({ size }) => size) as [number, number, number];
  expect(atLimit).toBe(near);
  expect(far).toBeLessThan(near * 0.6);
  const worst = errors.map((each) => Math.max(...each)) as [number, number, number];
  expect(worst[0]).toBeLessThan(worst[2]);
  // Eight times the threshold, plus the delay.
  expect(worst[2]).toBeLessThan(3);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("a distance of %d is refused", async (distance) => {
  const hub = new VirtualHub({ delayMs: 30 });
  const kite = (await hub.join()).spawn(Kite);
  expect(() => (kite.viewDistanceM = distance)).toThrow(ConfigError);
  expect(kite.viewDistanceM).toBe(0);
});
