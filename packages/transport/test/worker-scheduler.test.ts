import { WorkerScheduler, type StartTicker, type Ticker } from "@paceline/transport";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A Worker that the test plays: what is asked of it, and how it begins and ticks. */
class HandTicker {
  readonly asked: Parameters<Ticker["set"]>[] = [];
  starts = 0;
  ready = (): void => undefined;
  tick = (_id: number): void => undefined;
  readonly start: StartTicker = (onReady, onTick) => {
    this.starts += 1;
    this.ready = () => onReady({ set: (...call) => this.asked.push(call) });
    this.tick = onTick;
  };
}

describe("timers of a Worker", () => {
  test("are the page's own until it runs, and where it never does", () => {
    const ticker = new HandTicker();
    const scheduler = new WorkerScheduler(ticker.start);
    expect(ticker.starts).toBe(0);
    const runs: string[] = [];
    scheduler.after(20, () => runs.push("once"));
    const cancel = scheduler.every(30, () => runs.push("every"));
    vi.advanceTimersByTime(70);
    expect(runs).toEqual(["once", "every", "every"]);
    cancel();
    vi.advanceTimersByTime(100);
    expect(runs).toHaveLength(3);
    expect([ticker.starts, ticker.asked]).toEqual([1, []]);
  });

  test("are the Worker's from then on, those that repeat included", () => {
    const ticker = new HandTicker();
    const scheduler = new WorkerScheduler(ticker.start);
    const runs: string[] = [];
    const cancel = scheduler.every(30, () => runs.push("every"));
    scheduler.after(40, () => runs.push("begun before"));
    ticker.ready();
    scheduler.after(50, () => runs.push("once"));
    expect(ticker.asked).toEqual([
      [0, 30, true],
      [2, 50, false],
    ]);
    vi.advanceTimersByTime(100);
    expect(runs).toEqual(["begun before"]);
    ticker.tick(0);
    ticker.tick(2);
    ticker.tick(2);
    expect(runs).toEqual(["begun before", "every", "once"]);
    cancel();
    cancel();
    // Under way when it was cancelled.
    ticker.tick(0);
    expect(runs).toHaveLength(3);
    expect(ticker.asked.at(-1)).toEqual([0, undefined, false]);
  });

  test("run once where ticks have waited for a busy page", () => {
    const ticker = new HandTicker();
    const scheduler = new WorkerScheduler(ticker.start);
    let runs = 0;
    scheduler.every(30, () => (runs += 1));
    ticker.ready();
    for (let count = 0; count < 20; count++) ticker.tick(0);
    expect(runs).toBe(1);
    vi.advanceTimersByTime(30);
    ticker.tick(0);
    expect(runs).toBe(2);
  });

  test("are the page's own where there is no Worker, as in Node", () => {
    const scheduler = new WorkerScheduler();
    let runs = 0;
    scheduler.every(10, () => (runs += 1));
    vi.advanceTimersByTime(35);
    expect(runs).toBe(3);
  });

  test("are the page's own where its policy forbids such a Worker", () => {
    vi.stubGlobal("Worker", function refuse() {
      throw new DOMException("refused", "SecurityError");
    });
    const scheduler = new WorkerScheduler();
    let runs = 0;
    scheduler.after(10, () => (runs += 1));
    vi.advanceTimersByTime(35);
    expect(runs).toBe(1);
    vi.unstubAllGlobals();
  });
});
