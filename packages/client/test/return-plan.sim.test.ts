import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { ReturnPlan } from "../src/connection/return-plan.js";

/** A plan that counts its attempts. They end only by the test. */
function scene() {
  const scheduler = new VirtualScheduler();
  const seen = { attempts: 0, races: 0, gaveUpAtMs: [] as number[] };
  const plan = new ReturnPlan({
    scheduler,
    serverUrl: "http://one.example",
    attempt: () => (seen.attempts += 1),
    attemptRace: () => (seen.races += 1),
    onGiveUp: () => {
      seen.gaveUpAtMs.push(scheduler.nowMs());
      plan.end();
    },
  });
  return { scheduler, plan, seen };
}

describe("a connection that was lost", () => {
  test("is given up after a minute, although two attempts are connecting all the time", () => {
    const { scheduler, plan, seen } = scene();
    plan.dropped();
    plan.attemptNow();
    scheduler.advance(1);
    plan.race(true);
    scheduler.advance(600_000);
    expect(seen.attempts).toBe(1);
    expect(seen.races).toBeGreaterThan(10);
    expect(seen.gaveUpAtMs).toHaveLength(1);
    expect(seen.gaveUpAtMs[0]).toBeGreaterThan(60_000);
    expect(seen.gaveUpAtMs[0]).toBeLessThan(65_000);
  });

  test("is given up after a minute of attempts that fail", () => {
    const { scheduler, plan, seen } = scene();
    plan.dropped();
    for (let second = 0; second < 120 && seen.gaveUpAtMs.length === 0; second++) {
      plan.attemptLater();
      scheduler.advance(1000);
    }
    expect(seen.gaveUpAtMs[0]).toBeGreaterThan(60_000);
    expect(seen.gaveUpAtMs[0]).toBeLessThan(63_000);
  });

  test("is not given up once it is back, nor while it is only silent", () => {
    const { scheduler, plan, seen } = scene();
    plan.dropped();
    plan.race(true);
    scheduler.advance(30_000);
    plan.arrived();
    scheduler.advance(100_000);
    plan.race();
    scheduler.advance(100_000);
    expect(seen.gaveUpAtMs).toEqual([]);
    plan.dropped();
    plan.race(true);
    scheduler.advance(59_000);
    expect(seen.gaveUpAtMs).toEqual([]);
  });

  test("is given up in the same minute, although the server has forgotten the session meanwhile", () => {
    const { scheduler, plan, seen } = scene();
    plan.dropped();
    scheduler.advance(40_000);
    plan.serverAnswered();
    plan.race(true);
    scheduler.advance(30_000);
    expect(seen.gaveUpAtMs).toHaveLength(1);
  });
});
