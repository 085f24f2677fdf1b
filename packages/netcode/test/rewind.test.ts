import { ConfigError } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { LagCompensation, type BodyLayout } from "../src/index.js";

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, velocity: 2 };
const options = { layout: LAYOUT, tickSeconds: 1 / 60 };

/** Records a target that drives along x at 20 m/s. */
function recorded(ticks: number, maxRewindMs?: number): LagCompensation<string> {
  const history = new LagCompensation<string>(
    maxRewindMs === undefined ? options : { ...options, maxRewindMs },
  );
  for (let tick = 0; tick <= ticks; tick++)
    history.record("target", tick, Float64Array.of(tick / 3, 0, 20, 0));
  return history;
}

describe("lag compensation", () => {
  test("gives the poses that the shooter saw, also between ticks", () => {
    const history = recorded(100);
    const pose = new Float64Array(4);
    const result = history.rewind(92.5, (world) => {
      expect(world.poseOf("target", pose)).toBe(true);
      expect(world.poseOf("nobody", pose)).toBe(false);
      return world.isCapped;
    });
    expect(result).toBe(false);
    expect(pose[0]).toBeCloseTo(92.5 / 3, 9);
  });

  test("rewinds by at most 250 ms and never forward, for any requested tick", () => {
    const history = recorded(100);
    const pose = new Float64Array(4);
    for (const [said, tick] of [
      [0, 85],
      [-1e300, 85],
      [NaN, 85],
      [1e300, 100],
    ] as const) {
      const at = history.rewind(said, (world) => (world.poseOf("target", pose) ? world.tick : -1));
      expect(at).toBe(tick);
      expect(pose[0]).toBeCloseTo(tick / 3, 9);
    }
    expect(history.rewind(0, ({ isCapped }) => isCapped)).toBe(true);
    expect(recorded(100, 500).rewind(0, ({ tick }) => tick)).toBe(70);
    expect(() => new LagCompensation({ ...options, maxRewindMs: 5000 })).toThrow(ConfigError);
    expect(() => new LagCompensation({ ...options, tickSeconds: 0 })).toThrow(ConfigError);
  });

  test("does not interpolate a teleport, forgets entities, and ignores poses that are not finite", () => {
    const history = recorded(100);
    history.record("target", 101, Float64Array.of(500, 0, 0, 0), true);
    history.record("target", 102, Float64Array.of(NaN, 0, 0, 0));
    const pose = new Float64Array(4);
    history.rewind(100.5, (world) => world.poseOf("target", pose));
    expect(pose[0]).toBeCloseTo(100 / 3, 9);
    history.forget("target");
    expect(history.rewind(100, (world) => world.poseOf("target", pose))).toBe(false);
  });

  test("replaces poses by a correction of the past", () => {
    const history = recorded(100);
    history.record("target", 99, Float64Array.of(0, 5, 0, 0));
    const pose = new Float64Array(4);
    history.rewind(100, (world) => world.poseOf("target", pose));
    expect([...pose]).toEqual([0, 5, 0, 0]);
  });

  test("passes on an error of the callback", () => {
    expect(() =>
      recorded(10).rewind(5, () => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
  });
});
