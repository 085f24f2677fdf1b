import { VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";
import { TickSource } from "../src/tick-source.js";

test("ticks pass with the clock until the game tells its own", () => {
  const scheduler = new VirtualScheduler({ startMs: 5000 });
  const ticks = new TickSource(scheduler, 60);
  expect([ticks.tick, ticks.isDriven]).toEqual([0, false]);
  scheduler.advance(1010);
  expect(ticks.tick).toBe(60);
  ticks.tick = 7;
  scheduler.advance(1000);
  expect([ticks.tick, ticks.isDriven]).toEqual([7, true]);
});

test("a tick has 32 bits", () => {
  const ticks = new TickSource(new VirtualScheduler(), 255);
  ticks.tick = 2 ** 32 + 3;
  expect(ticks.tick).toBe(3);
});
