import { VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";
import { TickSource } from "../src/tick-source.js";

function told(ticks: TickSource, tick: number): number {
  ticks.tick = tick;
  return ticks.tick;
}

test("ticks pass with the clock until the game tells its own", () => {
  const scheduler = new VirtualScheduler({ startMs: 5000 });
  const ticks = new TickSource(scheduler, 60);
  expect([ticks.tick, ticks.isDriven]).toEqual([0, false]);
  scheduler.advance(1010);
  expect(ticks.tick).toBe(60);
  expect([told(ticks, 700), ticks.isDriven]).toEqual([700, true]);
  scheduler.advance(1000);
  expect(ticks.tick).toBe(700);
});

test("a packet names the tick of its states, however long they took to encode", () => {
  const scheduler = new VirtualScheduler();
  const ticks = new TickSource(scheduler, 60);
  ticks.during((tick) => {
    scheduler.advance(100);
    expect([tick, ticks.tick]).toEqual([0, 0]);
  });
  expect(ticks.tick).toBe(6);
});

test("a game that begins to count late goes on from where the clock was", () => {
  const scheduler = new VirtualScheduler();
  const ticks = new TickSource(scheduler, 60);
  scheduler.advance(60_000);
  expect([0, 1, 1, 4].map((tick) => told(ticks, tick))).toEqual([3601, 3602, 3602, 3605]);
});

test("a game that counts anew with every round does not go back", () => {
  const ticks = new TickSource(new VirtualScheduler(), 60);
  expect([5, 6, 0, 1, 0, 1, 900].map((tick) => told(ticks, tick))).toEqual([5, 6, 7, 8, 9, 10, 909]);
});

test("a tick has 32 bits, and goes on across their end", () => {
  const ticks = new TickSource(new VirtualScheduler(), 255);
  const end = 2 ** 32;
  // Half the circle at a time: further would be back.
  expect([end / 2 - 1, end - 2, end - 1, end, end + 1].map((tick) => told(ticks, tick))).toEqual([
    end / 2 - 1,
    end - 2,
    end - 1,
    0,
    1,
  ]);
  expect(told(ticks, 0)).toBe(2);
});
