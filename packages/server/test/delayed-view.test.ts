import { expect, it } from "vitest";
import { DelayedView } from "../src/entities/delayed-view.js";
import { World } from "../src/entities/world.js";
import { Car } from "./race.js";

const kept = { definitions: [Car], tickHz: 30, historyTicks: 64 };
const unheard = { onRemoved: () => undefined, onJumped: () => undefined, onOwnerChanged: () => undefined };

it("keeps states up to a limit: further ones are left out and counted, but spawns and removals are kept", () => {
  const live = new World(kept);
  const view = new DelayedView({ ...kept, delayTicks: 1800, ...unheard });
  const cars = Array.from({ length: 200 }, () => live.spawn(Car, {}, undefined));
  let [leftOut, most] = [0, 0];
  for (let tick = 1; tick <= 1800; tick++) {
    for (const { entity } of cars) (entity as unknown as { heading: number }).heading = (tick % 600) / 100;
    view.record(tick, live);
    leftOut += view.takeOmitted();
    most = Math.max(most, view.waitingBytes);
  }
  expect(most).toBeLessThan(17_000_000);
  expect(leftOut).toBeGreaterThan(1000);
  const late = live.spawn(Car, { heading: 1 }, undefined);
  view.record(1801, live);
  live.remove(cars[0]!);
  view.record(1802, live);
  for (let tick = 1801; tick <= 3602; tick++) view.advance(tick);
  expect([
    view.world.records.get(late.id) !== undefined,
    view.world.records.get(cars[0]!.id) !== undefined,
  ]).toEqual([true, false]);
  expect(view.world.records.size).toBe(200);
  expect(view.waitingBytes).toBe(0);
});

it("costs nothing while nothing happens", () => {
  const live = new World(kept);
  const view = new DelayedView({ ...kept, delayTicks: 10, ...unheard });
  live.spawn(Car, {}, undefined);
  view.record(1, live);
  const { waitingBytes } = view;
  for (let tick = 2; tick < 100; tick++) view.record(tick, live);
  expect(view.waitingBytes).toBe(waitingBytes);
});
