import { array, assert, double, integer, property, record } from "fast-check";
import { PathChoice } from "@paceline/transport";
import type { PathReading } from "../src/path-choice.js";
import { describe, expect, test } from "vitest";

const relay: PathReading = { roundTrips: 0, rttMs: 60, jitterMs: 3, lossRatio: 0, recentLossRatio: 0 };
const good: PathReading = { roundTrips: 0, rttMs: 30, jitterMs: 2, lossRatio: 0, recentLossRatio: 0 };
const lossy: PathReading = {
  roundTrips: 0,
  rttMs: 30,
  jitterMs: 2,
  lossRatio: 0.2,
  recentLossRatio: 0.2,
};

/** Returns the seconds at which the choice changed, with one observation per second. */
function changes(choice: PathChoice, seconds: number, direct: PathReading | undefined, fromS = 0): number[] {
  const found: number[] = [];
  for (let second = fromS; second < fromS + seconds; second += 1) {
    const [forDirect, forRelay] = [direct, relay].map((path) => path && { ...path, roundTrips: second });
    if (choice.observe(forDirect, forRelay, second * 1000)) found.push(second);
  }
  return found;
}

describe("direct or relay", () => {
  test("a good direct path is kept", () => {
    const choice = new PathChoice();
    expect(changes(choice, 100, good)).toEqual([]);
    expect(choice.choice).toBe("direct");
  });

  test("a bad direct path is left after four seconds, with numbers in the reason", () => {
    const choice = new PathChoice();
    expect(changes(choice, 100, lossy)).toEqual([4]);
    expect(choice.choice).toBe("relay");
    expect(choice.reason).toBe(
      "the direct path is worse than the relay (direct 30 ms ± 2, 20.0 % lost; relay 60 ms ± 3, 0.0 % lost)",
    );
  });

  test("a direct path is kept up to 1.3 times the relay's cost and 30 ms", () => {
    // The relay costs 36 ms, so that a direct path may cost 76.8.
    const slow = (rttMs: number): PathReading => ({
      roundTrips: 0,
      rttMs,
      jitterMs: 0,
      lossRatio: 0,
      recentLossRatio: 0,
    });
    expect(changes(new PathChoice(), 100, slow(153))).toEqual([]);
    expect(changes(new PathChoice(), 100, slow(154))).toEqual([4]);
    // Traffic returns if the direct path costs at most 10 ms more than the relay.
    const left = new PathChoice();
    changes(left, 10, lossy);
    expect(changes(left, 100, slow(93), 10)).toEqual([]);
    expect(changes(left, 100, slow(92), 110)).toEqual([114]);
  });

  test("traffic returns to a direct path that is good again, later every time", () => {
    const choice = new PathChoice();
    const backAfter: number[] = [];
    for (let startS = 0, round = 0; round < 7; round += 1) {
      changes(choice, 20, lossy, startS);
      expect(choice.choice).toBe("relay");
      const backS = changes(choice, 300, good, startS + 20)[0]!;
      backAfter.push(backS - startS - 20);
      startS = backS + 100;
    }
    expect(backAfter).toEqual([4, 8, 16, 32, 64, 128, 128]);
  });

  test("after minutes on a good direct path, the next return takes the first time again", () => {
    const choice = new PathChoice();
    const backAfter: number[] = [];
    for (const startS of [0, 100, 1000]) {
      changes(choice, 20, lossy, startS);
      backAfter.push(changes(choice, 60, good, startS + 20)[0]! - startS - 20);
    }
    expect(backAfter).toEqual([4, 8, 4]);
  });

  test("a path is left only after four round trips of both since it became worse", () => {
    const choice = new PathChoice();
    const at = (path: PathReading, roundTrips: number) => ({ ...path, roundTrips });
    for (let second = 0; second < 60; second++)
      expect(choice.observe(at(lossy, 4 * second), at(relay, 3), second * 1000)).toBe(false);
    expect(choice.isInDoubt).toBe(true);
    // The queue before the direct path stands before the relay, too.
    const slow = { ...lossy, lossRatio: 0, rttMs: 600 };
    expect(choice.observe(at(slow, 240), { ...at(relay, 6), rttMs: 620 }, 60_000)).toBe(false);
    expect(choice.isInDoubt).toBe(false);
    for (let second = 61; second < 65; second++)
      expect(choice.observe(at(slow, 4 * second), at(relay, second), second * 1000)).toBe(false);
    // A new link of the relay counts from 0.
    for (let count = 0; count < 5; count++)
      expect(choice.observe(at(slow, 260 + count), at(relay, count), 65_000 + count * 1000)).toBe(false);
    expect(choice.observe(at(slow, 265), at(relay, 5), 70_000)).toBe(true);
  });

  test("a path that is not open changes nothing", () => {
    const choice = new PathChoice();
    expect(changes(choice, 100, undefined)).toEqual([]);
    expect(choice.observe(lossy, undefined, 200_000)).toBe(false);
    expect(choice.choice).toBe("direct");
  });

  test("for all measurements, changes are seconds apart, and returns become rarer", () => {
    const reading = record({
      roundTrips: integer({ min: 0, max: 400 }),
      rttMs: double({ min: 0, max: 500, noNaN: true }),
      jitterMs: double({ min: 0, max: 100, noNaN: true }),
      lossRatio: double({ min: 0, max: 1, noNaN: true }),
      recentLossRatio: double({ min: 0, max: 1, noNaN: true }),
    });
    assert(
      property(
        array(reading, { maxLength: 400 }),
        array(reading, { minLength: 1, maxLength: 7 }),
        (direct, relays) => {
          const choice = new PathChoice();
          let lastS = 0;
          direct.forEach((measured, second) => {
            if (!choice.observe(measured, relays[second % relays.length], second * 1000)) return;
            expect(second - lastS).toBeGreaterThanOrEqual(4);
            lastS = second;
          });
        },
      ),
    );
  });
});
