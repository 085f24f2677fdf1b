import { seededRandom, VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";
import { TickTimeline } from "../src/index.js";

const TICK_HZ = 30;
const TICK_MS = 1000 / TICK_HZ;
const DELAY_MS = 25;
const PING_MS = 487;
/** The sender's clock minus the local one, ms. */
const OFFSET_MS = 7_000_000;

interface SlowPage {
  readonly frameMs: number;
  readonly workMs: number;
  readonly seed: number;
}

/** A page that handles packets and timers only after the work of a frame, and a sender of ticks at `TICK_HZ`. */
class Receiver {
  readonly scheduler = new VirtualScheduler();
  readonly timeline = new TickTimeline(TICK_HZ);
  /** Added to the times of the sender's ticks, ms. */
  skippedMs = 0;
  readonly #waiting: (() => void)[] = [];
  #busyUntilMs = 0;
  #rttMs = 2 * DELAY_MS;

  constructor({ frameMs, workMs, seed }: SlowPage) {
    const { scheduler } = this;
    const random = seededRandom(seed);
    const frame = (): void => {
      scheduler.after(frameMs, frame);
      const doneMs = Math.min(0.98 * frameMs, Math.max(0, random.normal(workMs, 0.1 * frameMs)));
      this.stall(doneMs);
    };
    scheduler.after(random.next() * frameMs, frame);
    this.#tick(1);
    scheduler.every(PING_MS, () => this.#handle(() => this.#ping()));
  }

  /** Estimate minus truth, ms. */
  get errorMs(): number {
    const nowMs = this.scheduler.nowMs();
    return this.timeline.secondsAt(nowMs) * 1000 - (nowMs - this.skippedMs);
  }

  /** Makes the page handle nothing for some time, ms. */
  stall(ms: number): void {
    const { scheduler } = this;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, scheduler.nowMs() + ms);
    scheduler.after(ms, () => {
      if (scheduler.nowMs() >= this.#busyUntilMs) for (const handle of this.#waiting.splice(0)) handle();
    });
  }

  #handle(handle: () => void): void {
    if (this.scheduler.nowMs() < this.#busyUntilMs) this.#waiting.push(handle);
    else handle();
  }

  #tick(tick: number): void {
    const { scheduler, timeline } = this;
    scheduler.after(tick * TICK_MS + this.skippedMs - scheduler.nowMs(), () => {
      this.#tick(tick + 1);
      scheduler.after(DELAY_MS, () =>
        this.#handle(() => timeline.observe(tick, scheduler.nowMs(), this.#rttMs, OFFSET_MS)),
      );
    });
  }

  #ping(): void {
    const { scheduler } = this;
    const sentMs = scheduler.nowMs();
    const pong = (): void => {
      const remoteMs = scheduler.nowMs() + OFFSET_MS;
      const receive = (): void => {
        this.#rttMs = scheduler.nowMs() - sentMs;
        this.timeline.answered(remoteMs);
      };
      scheduler.after(DELAY_MS, () => this.#handle(receive));
    };
    scheduler.after(DELAY_MS, pong);
  }
}

/** Returns the largest error in the 10 s after the first 20 s, ms. */
function worstErrorMs(receiver: Receiver): number {
  receiver.scheduler.advance(20_000);
  let worst = 0;
  for (let step = 0; step < 200; step++) {
    receiver.scheduler.advance(50);
    worst = Math.max(worst, Math.abs(receiver.errorMs));
  }
  return worst;
}

test.each([
  { title: "60 frames a second", frameMs: 1000 / 60, workMs: 8, limitMs: 6 },
  { title: "30 frames a second", frameMs: 1000 / 30, workMs: 22, limitMs: 5 },
  { title: "20 frames a second", frameMs: 50, workMs: 40, limitMs: 5 },
])("a page with $title dates the ticks of packets that it handles late", ({ limitMs, ...page }) => {
  const errors = [1, 2, 3, 4, 5, 6].map((seed) => worstErrorMs(new Receiver({ ...page, seed })));
  expect(Math.max(...errors)).toBeLessThan(limitMs);
});

test("a page that stands still now and then dates the ticks right that have waited", () => {
  const receiver = new Receiver({ frameMs: 1000 / 60, workMs: 5, seed: 2 });
  receiver.scheduler.advance(20_000);
  for (let stall = 0; stall < 10; stall++) {
    receiver.stall(450);
    for (let step = 0; step < 40; step++) {
      receiver.scheduler.advance(40);
      expect(Math.abs(receiver.errorMs)).toBeLessThan(5);
    }
  }
});

test.each([
  { skipped: 3, withinMs: 4000 },
  { skipped: 30, withinMs: 1500 },
])("the estimate follows a sender that has skipped $skipped ticks", ({ skipped, withinMs }) => {
  const receiver = new Receiver({ frameMs: 1000 / 60, workMs: 5, seed: 1 });
  expect(worstErrorMs(receiver)).toBeLessThan(5);
  receiver.skippedMs = skipped * TICK_MS;
  receiver.scheduler.advance(skipped * TICK_MS + withinMs);
  expect(Math.abs(receiver.errorMs)).toBeLessThan(5);
});

test("a few late ticks move no limit", () => {
  const timeline = new TickTimeline(TICK_HZ);
  const at = (tick: number): number => tick * TICK_MS + DELAY_MS;
  for (let tick = 0; tick < 60; tick++) {
    timeline.observe(tick, at(tick), 2 * DELAY_MS, OFFSET_MS);
    timeline.answered(tick * TICK_MS + 1 + OFFSET_MS);
  }
  // The sender was 20 ms late, and answered a ping before it ran the tick.
  timeline.answered(60 * TICK_MS + 20 + OFFSET_MS);
  timeline.observe(60, at(60) + 20, 2 * DELAY_MS, OFFSET_MS);
  for (let tick = 61; tick < 90; tick++) timeline.observe(tick, at(tick), 2 * DELAY_MS, OFFSET_MS);
  expect(timeline.secondsAt(at(89))).toBeCloseTo(at(89) / 1000, 3);
});
