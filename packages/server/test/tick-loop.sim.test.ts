import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { TickLoop } from "../src/room/tick-loop.js";

/** Creates a loop whose steps take time: the clock runs ahead of the timers by the work of each step. */
function newLoop(workMs: (tick: number) => number, tickHz = 50) {
  const virtual = new VirtualScheduler();
  let workedMs = 0;
  const nowMs = (): number => virtual.nowMs() + workedMs;
  const ticks: number[] = [];
  const loop = new TickLoop({
    scheduler: { nowMs, after: (ms, fn) => virtual.after(ms, fn), every: (ms, fn) => virtual.every(ms, fn) },
    tickHz,
    step: (tick) => {
      ticks.push(tick);
      workedMs += workMs(tick);
    },
  });
  loop.start();
  return { loop, ticks, virtual };
}

describe("a room's loop", () => {
  test("steps at its rate for ever, without drift", () => {
    const { loop, virtual } = newLoop(() => 0, 60);
    virtual.advance(60_000);
    expect(loop.tick).toBe(3600);
    expect(loop.skipped).toBe(0);
    expect(loop.lateness.quantile(0.99)).toBeLessThanOrEqual(1);
  });

  test.each([20, 30, 60])(
    "at %d Hz sets one timer for each step, though timers cut off fractions of a ms",
    (tickHz) => {
      const virtual = new VirtualScheduler({ startMs: 0.7 });
      let timers = 0;
      const loop = new TickLoop({
        scheduler: {
          nowMs: () => virtual.nowMs(),
          after: (ms, fn) => {
            timers += 1;
            return virtual.after(Math.trunc(ms) + 0.05, fn);
          },
          every: (ms, fn) => virtual.every(ms, fn),
        },
        tickHz,
        step: () => undefined,
      });
      loop.start();
      virtual.advance(60_000);
      expect(loop.tick).toBeGreaterThanOrEqual(60 * tickHz - 1);
      expect(timers).toBeLessThanOrEqual(60 * tickHz + 1);
    },
  );

  test("makes up for a short stall", () => {
    const { loop, virtual } = newLoop((tick) => (tick === 10 ? 50 : 0));
    virtual.advance(950);
    expect(loop.tick).toBe(50);
    expect(loop.skipped).toBe(0);
    expect(loop.lateness.maxMs).toBeGreaterThanOrEqual(20);
  });

  test("skips further steps, and counts them", () => {
    const { loop, virtual } = newLoop((tick) => (tick === 10 ? 1000 : 0));
    virtual.advance(1000);
    expect(loop.skipped).toBeGreaterThan(40);
    expect(loop.tick + loop.skipped).toBe(100);
    expect(loop.duration.maxMs).toBe(1000);
  });

  test("that is always too slow runs slowly, and never faster than it can", () => {
    const { loop, ticks, virtual } = newLoop(() => 30);
    virtual.advance(300);
    expect(ticks.length * 30).toBeLessThanOrEqual(loop.duration.sumMs);
    expect(loop.duration.counts.at(-5)).toBe(ticks.length);
    expect(loop.skipped).toBeGreaterThan(0);
    expect(ticks).toEqual(ticks.map((_, index) => index + 1));
  });

  test("stops", () => {
    const { loop, ticks, virtual } = newLoop(() => 0);
    virtual.advance(100);
    loop.stop();
    virtual.advance(1000);
    expect(ticks).toHaveLength(5);
  });
});
