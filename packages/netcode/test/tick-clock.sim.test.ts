import { TickClock } from "@paceline/netcode";
import { seededRandom } from "@paceline/testkit";
import { describe, expect, test } from "vitest";

const TICK_HZ = 60;
const MS_PER_TICK = 1000 / TICK_HZ;
const SENT_EVERY_TICKS = 2;

interface Arrival {
  readonly tick: number;
  readonly sentAtMs: number;
  readonly atMs: number;
}

/** Arrivals of a sender that ticks from `firstTick` on; each packet takes what `travelMs` says. */
function arrivals(
  seconds: number,
  travelMs: (sentAtMs: number) => number,
  { firstTick = 0, startMs = 0 } = {},
): Arrival[] {
  const packets: Arrival[] = [];
  for (let step = 0; step < seconds * TICK_HZ; step += SENT_EVERY_TICKS) {
    const sentAtMs = startMs + step * MS_PER_TICK;
    packets.push({ tick: (firstTick + step) >>> 0, sentAtMs, atMs: sentAtMs + travelMs(sentAtMs) });
  }
  return packets.sort((a, b) => a.atMs - b.atMs);
}

/** How far the estimate of every packet's age is off when it arrives, ms; positive: thought older than it is. */
function errorsMs(clock: TickClock, packets: readonly Arrival[], rttMs: number): number[] {
  return packets.map(({ tick, sentAtMs, atMs }) => {
    clock.observe(tick, atMs, rttMs);
    return clock.secondsSince(tick, atMs) * 1000 - (atMs - sentAtMs);
  });
}

const largest = (errors: readonly number[]): number => Math.max(...errors.map(Math.abs));

describe("the clock of a remote simulation", () => {
  test.each([1, 2, 3, 4, 5])("is within 5 ms after a second of arrivals of 50±5 ms (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const packets = arrivals(20, () => Math.max(0, random.normal(50, 5)));
    const errors = errorsMs(new TickClock(TICK_HZ), packets, 100);
    expect(largest(errors.slice(30))).toBeLessThan(5);
    // Without a bias to one side.
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(1);
  });

  test("takes delays that only ever add, as queues do, for what they are on average", () => {
    const random = seededRandom(7);
    const queueMs = () => -10 * Math.log(1 - random.next());
    const packets = arrivals(20, () => 40 + queueMs());
    // The same queue delays pings, both ways.
    expect(largest(errorsMs(new TickClock(TICK_HZ), packets, 2 * (40 + 10)).slice(60))).toBeLessThan(12);
  });

  test("finds the one-way time when it learns the round trip late, without a jump", () => {
    const clock = new TickClock(TICK_HZ);
    const packets = arrivals(6, () => 50);
    const early = errorsMs(clock, packets.slice(0, 30), 0);
    const late = errorsMs(clock, packets.slice(30), 100);
    expect(early.at(-1)).toBeCloseTo(-50, 5);
    expect(largest(late.slice(60))).toBeLessThan(2);
    for (const [index, error] of late.entries()) {
      const before = index === 0 ? early.at(-1)! : late[index - 1]!;
      expect(Math.abs(error - before)).toBeLessThan(2);
    }
  });

  test("does not jump when single packets are very late", () => {
    const random = seededRandom(3);
    // One in twenty is lost and sent again by its stream: 300 to 900 ms late.
    const packets = arrivals(20, () => (random.bool(0.05) ? 50 + random.int(300, 900) : 50));
    expect(largest(errorsMs(new TickClock(TICK_HZ), packets, 100).slice(60))).toBeLessThan(12);
  });

  test("does not jump when a stream stands still and then delivers all at once", () => {
    const stalls = [4000, 7000, 10_000];
    const packets = arrivals(15, (sentAtMs) => {
      const stall = stalls.find((startMs) => sentAtMs >= startMs && sentAtMs < startMs + 800);
      return stall === undefined ? 50 : stall + 850 - sentAtMs;
    });
    const clock = new TickClock(TICK_HZ);
    errorsMs(clock, packets.slice(0, 30), 100);
    expect(largest(errorsMs(clock, packets.slice(30), 100))).toBeLessThan(45);
  });

  test("recovers within half a second when the sender paused", () => {
    const clock = new TickClock(TICK_HZ);
    errorsMs(
      clock,
      arrivals(5, () => 50),
      100,
    );
    const afterPause = arrivals(5, () => 50, { firstTick: 5 * TICK_HZ, startMs: 8000 });
    const errors = errorsMs(clock, afterPause, 100);
    expect(errors[0]).toBeGreaterThan(2900);
    expect(largest(errors.filter((_, index) => afterPause[index]!.sentAtMs > 8500))).toBeLessThan(2);
  });

  test("believes at once what comes earlier than it could", () => {
    const clock = new TickClock(TICK_HZ);
    errorsMs(
      clock,
      arrivals(2, () => 600),
      100,
    );
    expect(
      largest(
        errorsMs(
          clock,
          arrivals(2, () => 50, { firstTick: 120, startMs: 2000 }),
          100,
        ),
      ),
    ).toBeLessThan(1);
  });

  test("goes on when the 32 bits of the tick begin anew", () => {
    const firstTick = 2 ** 32 - 60;
    const random = seededRandom(5);
    const packets = arrivals(5, () => Math.max(0, random.normal(50, 2)), { firstTick });
    expect(packets.some(({ tick }) => tick < 100)).toBe(true);
    expect(largest(errorsMs(new TickClock(TICK_HZ), packets, 100).slice(30))).toBeLessThan(3);
  });

  test("knows no age before the first arrival, and never a negative one", () => {
    const clock = new TickClock(TICK_HZ);
    expect(clock.secondsSince(5, 1000)).toBe(0);
    clock.observe(100, 1000, 0);
    expect(clock.secondsSince(100, 1000)).toBe(0);
    expect(clock.secondsSince(160, 1000)).toBe(0);
    expect(clock.secondsSince(40, 1000)).toBeCloseTo(1, 9);
  });
});
