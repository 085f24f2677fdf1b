import { wrapAngle } from "@paceline/netcode";
import { planState, readWholeState, writeWholeState } from "@paceline/protocol";
import { ConfigError, MotionCheck, RateCheck, angle, defineEntity, vec2 } from "@paceline/server";
import { describe, expect, test } from "vitest";
import { Car, Gate } from "./race.js";

/** Returns a car's components: position, velocity, heading, boost, and derived values. */
function car(x: number, speed = 0, heading = 0): Float32Array {
  const row = new Float32Array(Car.components.length);
  row.set([x, 0, speed, 0, heading]);
  return row;
}

describe("what is plausible", () => {
  test("is all that the limits allow, even late and together", () => {
    const check = new MotionCheck(Car, { maxSpeed: 50, maxTurnRate: 3 });
    let x = 0;
    // Ten updates a second at full speed, which arrive in groups of five.
    for (let update = 1; update <= 100; update++) {
      const nowSeconds = Math.ceil(update / 5) / 2;
      const [before, after] = [car(x, 0, 3.1), car(x + 5, 0, -3.1)];
      expect(check.breach(before, after, nowSeconds)).toBeUndefined();
      x += 5;
    }
  });

  test.each([
    ["speed", { maxSpeed: 50 }, car(40)],
    ["teleport", { maxStep: 20 }, car(25)],
    ["acceleration", { maxAcceleration: 10 }, car(0, 30)],
    ["turn", { maxTurnRate: 2 }, car(0, 0, 3)],
  ] as const)("%s is not, beyond its limit", (breach, limits, after) => {
    expect(new MotionCheck(Car, limits).breach(car(0), after, 10)).toBe(breach);
  });

  test("a client that claims a faster clock gains nothing", () => {
    const check = new MotionCheck(Car, { maxSpeed: 50 });
    let [x, refused] = [0, 0];
    for (let update = 0; update < 60; update++) {
      // Drives twice as fast as allowed for six seconds.
      if (check.breach(car(x), car(x + 10), update / 10) === undefined) x += 10;
      else refused += 1;
    }
    expect(x).toBeLessThan(50 * 1.05 * 6.5);
    expect(refused).toBeGreaterThan(20);
  });

  test("includes the effects of rounding: it alone causes no breach", () => {
    // A precision step is a tenth of a second at full speed, and six times the distance of one update.
    const Walker = defineEntity("walker", {
      position: vec2({ range: [-100, 100], precision: 0.1, unit: "m" }),
      velocity: vec2({ range: [-10, 10], precision: 0.1, unit: "m/s" }),
      heading: angle({ precision: 0.1, unit: "rad" }),
    });
    const limits = { maxSpeed: 1, maxAcceleration: 1, maxTurnRate: 0.2, maxStep: 0.02 };
    const plan = planState(Walker, { tickHz: 60 });
    for (const direction of [0, 0.3, 0.785, 2, -2.5]) {
      const check = new MotionCheck(Walker, limits);
      let before: Float32Array | undefined;
      for (let update = 0; update < 1200; update++) {
        const seconds = update / 60;
        const [x, y] = [Math.cos(direction), Math.sin(direction)];
        const speed = Math.cos(seconds);
        const exact = [x * seconds, y * seconds, x * speed, y * speed, wrapAngle(direction + seconds / 5)];
        const after = new Float32Array(5);
        readWholeState(plan, 1, writeWholeState(plan, 1, exact), after);
        expect(check.breach(before ?? after, after, seconds)).toBeUndefined();
        before = after;
      }
    }
  });

  test("rate of fire", () => {
    const shots = new RateCheck(2, 1);
    const fired = [0, 0.1, 0.4, 0.6, 1.2, 1.3].map((seconds) => shots.take(1, seconds));
    expect(fired).toEqual([true, false, false, true, true, false]);
    expect(shots.take(Number.NaN, 9)).toBe(false);
  });

  test("a limit without its field throws", () => {
    expect(() => new MotionCheck(Gate, { maxSpeed: 1 })).toThrow(ConfigError);
    expect(() => new MotionCheck(Gate, { positionAllowed: () => true })).toThrow("a field position of gate");
    expect(() => new MotionCheck(Car, { positionAllowed: true as never })).toThrow(
      "positionAllowed: expected a function",
    );
    expect(() => new MotionCheck(Car, { maxSpeed: -1 })).toThrow("maxSpeed: expected above 0");
    expect(() => new RateCheck(0, 1)).toThrow(ConfigError);
  });
});
