import { expect, test } from "vitest";
import { VirtualScheduler } from "../src/index.js";

test("time stands still until it is moved, and then moves by exactly that much", () => {
  const scheduler = new VirtualScheduler({ startMs: 100 });
  expect(scheduler.nowMs()).toBe(100);
  scheduler.advance(16.5);
  expect(scheduler.nowMs()).toBe(116.5);
  scheduler.runUntil(200);
  expect(scheduler.nowMs()).toBe(200);
});

test("timers run at their own time, those of one instant in the order of their creation", () => {
  const scheduler = new VirtualScheduler();
  const ran: string[] = [];
  const note = (name: string) => () => ran.push(`${name}@${scheduler.nowMs()}`);
  scheduler.after(20, note("late"));
  scheduler.after(10, note("first"));
  scheduler.after(10, note("second"));
  scheduler.after(0, note("at once"));
  expect(ran).toEqual([]);
  scheduler.advance(19);
  expect(ran).toEqual(["at once@0", "first@10", "second@10"]);
  scheduler.advance(1);
  expect(ran.at(-1)).toBe("late@20");
});

test("a timer made by a timer runs in the same move if it is due by its end", () => {
  const scheduler = new VirtualScheduler();
  const ran: number[] = [];
  scheduler.after(5, () => {
    scheduler.after(0, () => ran.push(scheduler.nowMs()));
    scheduler.after(5, () => ran.push(scheduler.nowMs()));
    scheduler.after(6, () => ran.push(scheduler.nowMs()));
  });
  scheduler.advance(10);
  expect(ran).toEqual([5, 10]);
});

test("a repeating timer keeps its period without drift and ends when it is cancelled, even by itself", () => {
  const scheduler = new VirtualScheduler();
  const ran: number[] = [];
  const cancel = scheduler.every(10, () => {
    ran.push(scheduler.nowMs());
    if (ran.length === 3) cancel();
  });
  scheduler.advance(25);
  scheduler.advance(1000);
  expect(ran).toEqual([10, 20, 30]);
});

test("a cancelled timer never runs, and cancelling twice or too late does nothing", () => {
  const scheduler = new VirtualScheduler();
  const ran: string[] = [];
  const cancelFirst = scheduler.after(10, () => ran.push("first"));
  const cancelSecond = scheduler.after(10, () => ran.push("second"));
  cancelFirst();
  cancelFirst();
  expect(scheduler.nextAtMs).toBe(10);
  scheduler.advance(10);
  cancelSecond();
  expect(ran).toEqual(["second"]);
  expect(scheduler.nextAtMs).toBeUndefined();
});

test("a program that schedules itself without end is stopped instead of hanging the test", () => {
  const scheduler = new VirtualScheduler({ maxTimersPerRun: 1000 });
  const again = (): void => {
    scheduler.after(0, again);
  };
  again();
  expect(() => scheduler.advance(1)).toThrow("more than 1000 timers");
});

test("an error in a timer ends the move at its time, and the timers after it still run later", () => {
  const scheduler = new VirtualScheduler();
  const ran: number[] = [];
  scheduler.after(5, () => {
    throw new Error("deliberate");
  });
  scheduler.after(7, () => ran.push(scheduler.nowMs()));
  expect(() => scheduler.advance(10)).toThrow("deliberate");
  expect(scheduler.nowMs()).toBe(5);
  scheduler.advance(5);
  expect(ran).toEqual([7]);
});

test("a timer cannot move the time that moves it", () => {
  const scheduler = new VirtualScheduler();
  scheduler.after(1, () => scheduler.advance(1));
  expect(() => scheduler.advance(2)).toThrow("moving already");
});

test.each([
  ["startMs", () => new VirtualScheduler({ startMs: Number.NaN })],
  ["maxTimersPerRun", () => new VirtualScheduler({ maxTimersPerRun: 0 })],
  ["ms", () => new VirtualScheduler().advance(-1)],
  ["ms", () => new VirtualScheduler().advance(Infinity)],
  ["atMs", () => new VirtualScheduler({ startMs: 10 }).runUntil(9)],
  ["delayMs", () => new VirtualScheduler().after(Number.NaN, () => {})],
  ["periodMs", () => new VirtualScheduler().every(0, () => {})],
])("a wrong %s is refused by name", (field, call) => {
  expect(call).toThrow(expect.objectContaining({ name: "ConfigError", field }));
});
