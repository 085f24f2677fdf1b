import { array, assert, double, integer, option, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { RenderClock, SessionClock, TickTimeline } from "../src/index.js";
import { SlewedClock } from "../src/clock/slewed-clock.js";

const anyMs = double({ min: -1e7, max: 1e7, noNaN: true });

describe("slewed clock", () => {
  test("never runs backwards, for any aims and any local time", () => {
    const event = record({ localMs: anyMs, aim: option(double()) });
    assert(
      property(array(event, { maxLength: 60 }), (events) => {
        const clock = new SlewedClock();
        let last = -Infinity;
        for (const { localMs, aim } of events) {
          const wasSet = clock.isSet;
          if (aim !== null) clock.aim(aim, localMs);
          // Until the first target the clock returns local time.
          if (clock.isSet !== wasSet) last = -Infinity;
          const now = clock.nowMs(localMs);
          expect(now).toBeGreaterThanOrEqual(last);
          last = now;
        }
      }),
    );
  });

  test("corrects a small error by 5 % of elapsed time", () => {
    const clock = new SlewedClock();
    clock.aim(0, 0);
    clock.aim(20, 0);
    expect(clock.nowMs(100)).toBeCloseTo(105, 6);
    expect(clock.nowMs(400)).toBeCloseTo(420, 6);
    expect(clock.nowMs(500)).toBeCloseTo(520, 6);
  });
});

describe("slewed clock, larger errors", () => {
  test("corrects more per second the larger the error is, and does not run backwards", () => {
    for (const errorMs of [200, -200]) {
      const clock = new SlewedClock();
      clock.aim(0, 0);
      clock.aim(errorMs, 0);
      let last = 0;
      for (let at = 10; at <= 1000; at += 10) {
        const now = clock.nowMs(at);
        expect(now).toBeGreaterThan(last);
        last = now;
      }
      expect(Math.abs(last - 1000 - errorMs)).toBeLessThan(30);
    }
  });
});

describe("render clock", () => {
  test("never runs backwards while the delay changes", () => {
    const event = record({
      stepMs: double({ min: 0, max: 50, noNaN: true }),
      delayMs: double({ min: 0, max: 900, noNaN: true }),
    });
    assert(
      property(array(event, { maxLength: 100 }), (events) => {
        const clock = new RenderClock(100);
        let serverMs = 10_000;
        let last = -Infinity;
        for (const { stepMs, delayMs } of events) {
          serverMs += stepMs;
          clock.setDelay(delayMs);
          const now = clock.nowMs(serverMs);
          expect(now).toBeGreaterThanOrEqual(last);
          last = now;
        }
      }),
    );
  });
});

describe("tick timeline", () => {
  test("counts on when 32 bits wrap", () => {
    assert(
      property(integer({ min: 0, max: 0xffffffff }), (first) => {
        const timeline = new TickTimeline(60);
        for (let step = 0; step < 200; step++) {
          const tick = (first + step) >>> 0;
          timeline.observe(tick, 1000 + (step * 1000) / 60 + 50, 100);
          expect(timeline.unwrap(tick)).toBe(first + step);
        }
        const nowMs = 1000 + (199 * 1000) / 60 + 50;
        const age = timeline.secondsAt(nowMs) - timeline.secondsOf(timeline.unwrap((first + 199) >>> 0));
        expect(age).toBeCloseTo(0.05, 3);
      }),
      { numRuns: 20 },
    );
  });

  test("takes the earliest guess until the first observation, and then forgets it", () => {
    for (const lateMs of [20, 120, 240, 700]) {
      const timeline = new TickTimeline(60);
      timeline.guess(6, 100 + lateMs, 0, 0);
      timeline.guess(12, 200 + 2 * lateMs, 0, 0);
      expect(timeline.secondsAt(200 + 2 * lateMs)).toBeCloseTo(0.2 + lateMs / 1000, 6);
      // A server has kept this one for 150 ms.
      timeline.guess(30, 650 + 2 * lateMs, 150, 0);
      expect(timeline.secondsAt(650 + 2 * lateMs)).toBeCloseTo(0.65 + lateMs / 1000, 6);
      timeline.observe(120, 2050, 100);
      expect(timeline.secondsAt(2050)).toBeCloseTo(2.05, 6);
      timeline.guess(126, 2150 + lateMs, 0, 100);
      expect(timeline.secondsAt(2150 + lateMs)).toBeCloseTo(2.15 + lateMs / 1000, 6);
    }
  });

  test("counts half of the round trip also for a late state that arrives before its time", () => {
    const timeline = new TickTimeline(60);
    // The first packet waited for 90 ms.
    timeline.observe(60, 1140, 100);
    timeline.guess(66, 1150, 0, 100);
    for (let atMs = 1150; atMs <= 3000; atMs += 10) timeline.secondsAt(atMs);
    expect(timeline.secondsAt(3000)).toBeGreaterThanOrEqual(2.9);
    expect(timeline.secondsAt(3000)).toBeLessThanOrEqual(3.001);
  });

  test("follows a sender within a few packets after a pause of ten seconds", () => {
    const timeline = new TickTimeline(60);
    const send = (tick: number, atMs: number): void => timeline.observe(tick, atMs + 50, 100);
    for (let step = 0; step < 60; step++) send(step * 6, step * 100);
    for (let step = 60; step < 66; step++) send(step * 6, step * 100 + 10_000);
    const nowMs = 65 * 100 + 10_050;
    expect(timeline.secondsAt(nowMs)).toBeCloseTo(6.55, 2);
  });
});

describe("session clock", () => {
  test("returns the server's time, and the render time behind it", () => {
    const clock = new SessionClock(100);
    for (let at = 0; at < 1000; at += 25) {
      const remoteMs = at + 20 + 5000;
      const stamps = { remoteReceivedMs: remoteMs, remoteSentMs: remoteMs };
      clock.estimate.observePing({ sentMs: at, ...stamps, receivedMs: at + 40 });
    }
    expect(clock.serverNow(2000)).toBeCloseTo(7000, 6);
    expect(clock.renderNow(2000)).toBeCloseTo(6900, 6);
    clock.renderDelayMs = 50;
    expect(clock.renderNow(2100)).toBeGreaterThan(7000);
    expect(clock.renderDelayMs).toBeLessThan(100);
    expect(clock.renderNow(6000)).toBeCloseTo(10_950, 6);
  });
});
