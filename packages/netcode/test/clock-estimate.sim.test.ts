import { describe, expect, test } from "vitest";
import { ClockEstimate } from "../src/index.js";
import { ClockSession } from "./clock-session.js";

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const busy = { delayMs: 50, jitterMs: 5, loss: { kind: "uniform", ratio: 0.01 } } as const;
const poor = { delayMs: 100, jitterMs: 20, loss: { kind: "uniform", ratio: 0.02 } } as const;

/** Returns the largest error in the 10 s after the first 2 s, ms. */
function worstErrorMs(session: ClockSession): number {
  session.scheduler.advance(2000);
  let worst = 0;
  for (let step = 0; step < 200; step++) {
    worst = Math.max(worst, Math.abs(session.errorMs));
    session.scheduler.advance(50);
  }
  return worst;
}

describe("clock estimate", () => {
  test("is within 2 ms of the true time after 2 s at 50 ± 5 ms", () => {
    const errors = SEEDS.map((seed) => worstErrorMs(new ClockSession({ seed, settings: busy })));
    expect(Math.max(...errors)).toBeLessThan(2);
  });

  test("is within 5 ms of the true time after 2 s at 100 ± 20 ms with 2 % loss", () => {
    const errors = SEEDS.map((seed) => worstErrorMs(new ClockSession({ seed, settings: poor })));
    expect(Math.max(...errors)).toBeLessThan(5);
  });

  test("works with clocks of 1 ms step on both sides", () => {
    const errors = SEEDS.map((seed) =>
      worstErrorMs(new ClockSession({ seed, settings: busy, clockStepMs: 1 })),
    );
    // The local clock itself is up to 1 ms behind.
    expect(Math.max(...errors)).toBeLessThan(3);
  });

  test("is off by half of a constant asymmetry", () => {
    const session = new ClockSession({ seed: 3, aToB: { delayMs: 80 }, bToA: { delayMs: 20 } });
    session.scheduler.advance(2000);
    expect(session.errorMs).toBeGreaterThan(-31);
    expect(session.errorMs).toBeLessThan(31);
    expect(Math.abs(Math.abs(session.errorMs) - 30)).toBeLessThan(1);
  });

  test("is off by little if one direction has a queue", () => {
    const errors = SEEDS.slice(0, 10).map((seed) => {
      // About every third ping waits for 40 ms on its way to the server.
      const slow = { delayMs: 50, reorderRatio: 0.35, reorderHoldMs: 40 };
      return worstErrorMs(new ClockSession({ seed, aToB: slow, bToA: { delayMs: 50 } }));
    });
    expect(Math.max(...errors)).toBeLessThan(3);
  });

  test("never runs backwards, also when a clock jumps", () => {
    for (const seed of SEEDS.slice(0, 10)) {
      const session = new ClockSession({ seed, settings: poor });
      let last = -Infinity;
      for (let step = 0; step < 3000; step++) {
        session.scheduler.advance(4);
        if (step === 1000) session.remoteJumpMs = -400;
        if (step === 2000) session.localJumpMs = -3000;
        if (!session.estimate.isReady) continue;
        const now = session.estimate.nowMs(session.localMs);
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    }
  });

  test("steps forward after a sleep of the local machine", () => {
    const session = new ClockSession({ seed: 1, settings: busy });
    session.scheduler.advance(3000);
    session.localJumpMs = -60_000;
    for (let stamp = 0; stamp < 3; stamp++) {
      session.scheduler.advance(50);
      session.estimate.observeStamp(session.remoteMs - 50, session.localMs);
    }
    expect(Math.abs(session.errorMs)).toBeLessThan(60);
    expect(worstErrorMs(session)).toBeLessThan(2.5);
  });

  test("follows a drifting clock", () => {
    const session = new ClockSession({ seed: 5, settings: busy, drift: 1e-4 });
    session.scheduler.advance(60_000);
    expect(Math.abs(session.errorMs)).toBeLessThan(2.5);
  });

  test("refuses impossible time stamps", () => {
    const estimate = new ClockEstimate();
    const bad = [
      { sentMs: 10, remoteReceivedMs: 5, remoteSentMs: 4, receivedMs: 20 },
      { sentMs: 30, remoteReceivedMs: 5, remoteSentMs: 5, receivedMs: 20 },
      { sentMs: NaN, remoteReceivedMs: 5, remoteSentMs: 5, receivedMs: 20 },
      { sentMs: 10, remoteReceivedMs: Infinity, remoteSentMs: Infinity, receivedMs: 20 },
    ];
    for (const sample of bad) expect(estimate.observePing(sample)).toBe(false);
    estimate.observeStamp(NaN, 10);
    expect(estimate.isReady).toBe(false);
  });
});
