import { RemoteMotion, type RemoteMotionOptions } from "@paceline/netcode";
import { describe, expect, test } from "vitest";
import { Ship, Sign } from "./definitions.js";

const options: RemoteMotionOptions = { extrapolationLimitMs: 500, blendHalfLifeMs: 80, snapDistanceM: 10 };
const FRAME_MS = 1000 / 60;

/** A ship whose states arrive without delay, so that the age of a state is the time since it came. */
class Scene {
  readonly motion = new RemoteMotion(Ship, options);
  readonly state = new Float32Array(Ship.components.length);
  readonly shown = new Float32Array(Ship.components.length);
  nowMs = 0;
  #newestAtMs = 0;
  #tick = 0;

  arrive(
    [x, y, heading]: readonly [number, number, number],
    [vx, vy, turnRate]: readonly [number, number, number],
  ) {
    this.#tick += 1;
    const ages = { before: (this.nowMs - this.#newestAtMs) / 1000, after: 0 };
    const news = Float32Array.of(x, y, heading, vx, vy, turnRate);
    this.motion.correct(this.state, news, this.#tick, ages, this.nowMs);
    this.#newestAtMs = this.nowMs;
  }

  show(nowMs = this.nowMs): { x: number; y: number; heading: number } {
    this.nowMs = nowMs;
    this.motion.show(this.state, (nowMs - this.#newestAtMs) / 1000, nowMs, this.shown);
    const [x = 0, y = 0, heading = 0] = this.shown;
    return { x, y, heading };
  }
}

describe("what is shown of a remote entity", () => {
  test("is the first state at once, moved on with its velocity and turn rate", () => {
    const scene = new Scene();
    scene.arrive([5, 6, 1], [10, -20, 2]);
    expect(scene.show()).toEqual({ x: 5, y: 6, heading: 1 });
    const { x, y, heading } = scene.show(100);
    expect([x, y, heading].map((value) => Math.round(value * 1000) / 1000)).toEqual([6, 4, 1.2]);
  });

  test("holds its pose beyond the extrapolation limit", () => {
    const scene = new Scene();
    scene.arrive([0, 0, 0], [10, 0, 1]);
    expect(scene.show(500).x).toBeCloseTo(5, 5);
    expect(scene.show(501).x).toBeCloseTo(5, 5);
    expect(scene.show(60_000)).toEqual(scene.show(500));
  });

  test("does not jump when it is corrected, and has come to the truth after ten half-lives", () => {
    const scene = new Scene();
    scene.arrive([0, 0, 0], [20, 0, 0]);
    const before = scene.show(200);
    scene.arrive([2, 3, 0.4], [20, 0, 0]);
    const after = scene.show();
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1e-3);
    expect(Math.abs(after.heading - before.heading)).toBeLessThan(1e-3);
    // The correction of (-2, 3) fades: no step of a frame is longer than its share of it and the car's own way.
    let last = after;
    for (let nowMs = 200; nowMs < 200 + 900; nowMs += FRAME_MS) {
      const shown = scene.show(nowMs);
      const step = Math.hypot(shown.x - last.x - 20 * (FRAME_MS / 1000), shown.y - last.y);
      expect(step).toBeLessThan(Math.hypot(2, 3) * (1 - 2 ** (-FRAME_MS / 80)) + 0.34);
      last = shown;
    }
    // Half of it after one half-life.
    expect(scene.show(280).y).toBeCloseTo(1.5, 2);
    expect(scene.show(280).heading).toBeCloseTo(0.2, 2);
    expect(scene.show(200 + 801).y).toBe(3);
  });

  test("goes on from where it is when corrections follow each other", () => {
    const scene = new Scene();
    scene.arrive([0, 0, 0], [0, 0, 0]);
    for (let count = 1; count < 20; count++) {
      scene.nowMs += 33;
      const before = scene.show();
      scene.arrive([count, -count, 0], [0, 0, 0]);
      const after = scene.show();
      expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1e-3);
    }
  });

  test("jumps at once when it was off by more than the snap distance", () => {
    const scene = new Scene();
    scene.arrive([0, 0, 0], [0, 0, 0]);
    scene.nowMs = 100;
    scene.arrive([9.9, 0, 0], [0, 0, 0]);
    expect(scene.show().x).toBeCloseTo(0, 5);
    scene.show(5000);
    scene.arrive([9.9, 10.1, 1], [0, 0, 0]);
    expect(scene.show()).toEqual({ x: expect.closeTo(9.9, 5), y: expect.closeTo(10.1, 5), heading: 1 });
  });

  test("turns the short way when a correction crosses the wrap of the heading", () => {
    const scene = new Scene();
    scene.arrive([0, 0, 3.1], [0, 0, 0]);
    scene.nowMs = 50;
    scene.arrive([0, 0, -3.1], [0, 0, 0]);
    expect(scene.show().heading).toBeCloseTo(3.1, 5);
    const half = scene.show(130).heading;
    expect(Math.abs(half)).toBeGreaterThan(3.1);
    expect(scene.show(2000).heading).toBeCloseTo(-3.1, 5);
  });

  test("is the state itself where the definition has no motion", () => {
    const motion = new RemoteMotion(Sign, options);
    const [state, shown] = [new Float32Array(5), new Float32Array(5)];
    motion.correct(state, Float32Array.of(1, 2, 3, 4, 1), 1, { before: 0, after: 0 }, 0);
    motion.correct(state, Float32Array.of(2, 2, 3, 4, 0), 2, { before: 0, after: 0 }, 100);
    motion.show(state, 10, 110, shown);
    expect([...shown]).toEqual([2, 2, 3, 4, 0]);
  });
});

test("only a newer tick is news, across the wrap of 32 bits", () => {
  const motion = new RemoteMotion(Ship, options);
  const state = new Float32Array(6);
  expect(motion.isNews(0)).toBe(true);
  motion.correct(state, new Float32Array(6), 2 ** 32 - 2, { before: 0, after: 0 }, 0);
  expect(motion.tick).toBe(2 ** 32 - 2);
  expect([2 ** 32 - 3, 2 ** 32 - 2, 2 ** 32 - 1, 0, 5].map((tick) => motion.isNews(tick))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});
