import { WorkerScheduler, type StartWaker } from "../src/worker-scheduler.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A page that the test hides and shows. */
class TestPage {
  visibilityState: "visible" | "hidden" = "visible";
  #listener = (): void => undefined;

  addEventListener(_: "visibilitychange", listener: () => void): void {
    this.#listener = listener;
  }

  become(state: "visible" | "hidden"): void {
    this.visibilityState = state;
    this.#listener();
  }
}

/** A Worker that the test controls. It records requested wake-ups. */
class HandWaker {
  readonly asked: number[] = [];
  starts = 0;
  ready = (): void => undefined;
  wake = (): void => undefined;
  readonly start: StartWaker = (onReady, onWake) => {
    this.starts += 1;
    this.ready = () => onReady({ wakeAfter: (delayMs) => this.asked.push(delayMs) });
    this.wake = onWake;
  };
}

function inPage(): { page: TestPage; waker: HandWaker; scheduler: WorkerScheduler } {
  const [page, waker] = [new TestPage(), new HandWaker()];
  vi.stubGlobal("document", page);
  return { page, waker, scheduler: new WorkerScheduler(waker.start) };
}

/** A scheduler in a hidden page with a running Worker. */
function inHiddenPage(): { page: TestPage; waker: HandWaker; scheduler: WorkerScheduler } {
  const all = inPage();
  all.page.visibilityState = "hidden";
  all.scheduler.after(0, () => undefined)();
  all.waker.ready();
  return all;
}

describe("timers of a visible page", () => {
  test("are the page's own, and no Worker is started", () => {
    const { waker, scheduler } = inPage();
    const runs: string[] = [];
    scheduler.after(20, () => runs.push("once"));
    const cancel = scheduler.every(30, () => runs.push("every"));
    vi.advanceTimersByTime(70);
    expect(runs).toEqual(["once", "every", "every"]);
    cancel();
    cancel();
    vi.advanceTimersByTime(100);
    expect(runs).toHaveLength(3);
    expect([waker.starts, waker.asked]).toEqual([0, []]);
  });

  test("run in the order of their times, whichever was set first", () => {
    const { scheduler } = inPage();
    const runs: number[] = [];
    for (const delayMs of [30, 10, 20.4, 0, 20]) scheduler.after(delayMs, () => runs.push(delayMs));
    vi.advanceTimersByTime(31);
    expect(runs).toEqual([0, 10, 20, 20.4, 30]);
  });

  test("run once after a pause, and then at their period", () => {
    const { scheduler } = inPage();
    let runs = 0;
    scheduler.every(30, () => (runs += 1));
    vi.advanceTimersByTime(30);
    vi.setSystemTime(Date.now() + 600);
    const stalled = performance.now() + 600;
    vi.spyOn(performance, "now").mockReturnValue(stalled);
    vi.advanceTimersByTime(30);
    expect(runs).toBe(2);
    vi.restoreAllMocks();
  });

  test("do not stop each other: an error of one is thrown in a turn of its own", () => {
    const { scheduler } = inPage();
    const runs: string[] = [];
    scheduler.after(10, () => {
      throw new Error("the first");
    });
    scheduler.after(10, () => runs.push("second"));
    scheduler.every(20, () => runs.push("every"));
    expect(() => vi.advanceTimersByTime(11)).toThrow("the first");
    expect(runs).toEqual(["second"]);
    vi.advanceTimersByTime(40);
    expect(runs).toEqual(["second", "every", "every"]);
  });

  test("may be set and ended by a running timer", () => {
    const { scheduler } = inPage();
    const runs: string[] = [];
    const end = scheduler.after(10, () => runs.push("ended"));
    scheduler.after(5, () => {
      end();
      scheduler.after(0, () => runs.push("set"));
    });
    vi.advanceTimersByTime(20);
    expect(runs).toEqual(["set"]);
  });

  test("with slack share the wake-ups of others, early or late", () => {
    const { scheduler } = inPage();
    const runs = { exact: 0, loose: 0 };
    scheduler.every(50, () => (runs.loose += 1), 10);
    vi.advanceTimersByTime(7);
    scheduler.every(49.8, () => (runs.exact += 1));
    let wakeUps = 0;
    for (const untilMs = performance.now() + 10_000; performance.now() < untilMs; wakeUps++)
      vi.advanceTimersToNextTimer();
    expect(runs.exact).toBeGreaterThanOrEqual(199);
    expect(runs.loose).toBe(runs.exact);
    expect(wakeUps).toBeLessThanOrEqual(runs.exact + 1);
  });

  test("with slack run in time without other wake-ups", () => {
    const { scheduler } = inPage();
    const atMs: number[] = [];
    const startMs = performance.now();
    scheduler.every(50, () => atMs.push(performance.now() - startMs), 10);
    vi.advanceTimersByTime(185);
    expect(atMs).toEqual([60, 120, 180]);
  });

  test("do not keep a process running once they are ended", () => {
    const { scheduler } = inPage();
    const cancels = [10, 60_000].map((delayMs) => scheduler.after(delayMs, () => undefined));
    expect(vi.getTimerCount()).toBe(1);
    for (const cancel of cancels) cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("continue after a lost wake-up", () => {
    const { scheduler } = inPage();
    const runs: string[] = [];
    scheduler.after(10, () => runs.push("lost"));
    vi.clearAllTimers();
    vi.advanceTimersByTime(1500);
    scheduler.after(10, () => runs.push("next"));
    vi.advanceTimersByTime(20);
    expect(runs).toEqual(["lost", "next"]);
  });
});

describe("timers of a hidden page", () => {
  test("are the page's own until the Worker runs", () => {
    const { page, waker, scheduler } = inPage();
    let runs = 0;
    scheduler.every(30, () => (runs += 1));
    page.become("hidden");
    page.become("visible");
    page.become("hidden");
    vi.advanceTimersByTime(70);
    expect([waker.starts, waker.asked, runs]).toEqual([1, [], 2]);
    waker.ready();
    expect(waker.asked).toEqual([20]);
    vi.advanceTimersByTime(20);
    expect(runs).toBe(2);
    waker.wake();
    expect(runs).toBe(3);
    expect(waker.asked).toEqual([20, 30]);
  });

  test("share one wake-up of the Worker: a timer that is not the next one sends it nothing", () => {
    const { waker, scheduler } = inHiddenPage();
    const runs: string[] = [];
    scheduler.every(50, () => runs.push("every"));
    expect(waker.asked).toEqual([50]);
    // A session does this: it schedules an answer, and sends it earlier.
    for (let packet = 0; packet < 20; packet++) scheduler.after(60, () => runs.push("answer"))();
    expect(waker.asked).toEqual([50]);
    scheduler.after(10, () => runs.push("soon"));
    expect(waker.asked).toEqual([50, 10]);
    vi.advanceTimersByTime(10);
    expect(runs).toEqual([]);
    waker.wake();
    expect([runs, waker.asked]).toEqual([["soon"], [50, 10, 40]]);
  });

  test("are the page's own again when it is visible", () => {
    const { page, waker, scheduler } = inHiddenPage();
    let runs = 0;
    scheduler.every(30, () => (runs += 1));
    page.become("visible");
    vi.advanceTimersByTime(60);
    expect([runs, waker.asked]).toEqual([2, [30]]);
    // A wake-up that was on its way.
    waker.wake();
    expect(runs).toBe(2);
  });
});

test("timers are the page's own if its policy forbids such a Worker, and in Node", () => {
  vi.stubGlobal("Worker", function refuse() {
    throw new DOMException("refused", "SecurityError");
  });
  for (const page of [new TestPage(), undefined]) {
    vi.stubGlobal("document", page);
    if (page) page.visibilityState = "hidden";
    const scheduler = new WorkerScheduler();
    let runs = 0;
    scheduler.after(10, () => (runs += 1));
    vi.advanceTimersByTime(35);
    expect(runs).toBe(1);
  }
});
