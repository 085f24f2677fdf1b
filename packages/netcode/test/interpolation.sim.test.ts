import { NetworkSimulator, seededRandom, VirtualScheduler, type NetworkSettings } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_CONVERGENCE,
  InterpolatedBody,
  InterpolationDelay,
  RenderClock,
  type BodyLayout,
} from "../src/index.js";

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, velocity: 2, heading: 4 };
const WIDTH = 5;
const FRAME_MS = 1000 / 60;
const INTERVAL_MS = 50;

/** Returns the true state of a car on a winding road. */
function truth(seconds: number): Float64Array {
  const x = 15 * seconds;
  const y = 4 * Math.sin(seconds * 1.3);
  const vy = 4 * 1.3 * Math.cos(seconds * 1.3);
  return Float64Array.of(x, y, 15, vy, Math.atan2(vy, 15));
}

interface Watched {
  readonly starvedShare: number;
  readonly worstErrorM: number;
  readonly worstStepM: number;
  readonly delayMs: number;
}

/** Watches the car for 70 s at 20 snapshots per second. The first ten seconds do not count. */
function watch(settings: Partial<NetworkSettings>, seed: number, stream = {}): Watched {
  const scheduler = new VirtualScheduler();
  const body = new InterpolatedBody(
    { layout: LAYOUT, extrapolationLimitMs: 250, convergence: DEFAULT_CONVERGENCE },
    WIDTH,
  );
  const delay = new InterpolationDelay();
  const clock = new RenderClock(delay.delayMs);
  const path = new NetworkSimulator({
    scheduler,
    random: seededRandom(seed),
    settings,
    ...stream,
    deliver(packet) {
      const stateMs = new DataView(packet.buffer).getFloat64(0);
      body.receive(truth(stateMs / 1000), stateMs / 1000);
      delay.observe(stateMs, scheduler.nowMs());
      clock.setDelay(delay.delayMs);
    },
  });
  scheduler.every(INTERVAL_MS, () => {
    const packet = new Uint8Array(8);
    new DataView(packet.buffer).setFloat64(0, scheduler.nowMs());
    path.send(packet);
  });
  const shown = new Float64Array(WIDTH);
  const last = new Float64Array(WIDTH);
  let [frames, starved, worstErrorM, worstStepM] = [0, 0, 0, 0];
  for (let frame = 1; frame * FRAME_MS < 70_000; frame++) {
    scheduler.runUntil(frame * FRAME_MS);
    const renderMs = clock.nowMs(scheduler.nowMs());
    const kind = body.show(renderMs / 1000, shown);
    const isCounted = frame * FRAME_MS > 10_000;
    if (isCounted) {
      frames += 1;
      if (kind === "extrapolated") starved += 1;
      const expected = truth(renderMs / 1000);
      worstErrorM = Math.max(worstErrorM, Math.hypot(shown[0]! - expected[0]!, shown[1]! - expected[1]!));
      const step = Math.hypot(shown[0]! - last[0]!, shown[1]! - last[1]!);
      worstStepM = Math.max(worstStepM, step - Math.hypot(15, 5.2) / 60);
    }
    last.set(shown);
  }
  return { starvedShare: starved / frames, worstErrorM, worstStepM, delayMs: clock.delayMs };
}

const bursty = {
  kind: "gilbert-elliott",
  pGoodToBad: 0.01,
  pBadToGood: 0.25,
  lossInGood: 0.002,
  lossInBad: 0.47,
} as const;

describe("interpolation", () => {
  test("at 2 % bursty loss it extrapolates in less than 0.5 % of frames, and never jumps", () => {
    const runs = [1, 2, 3, 4, 5].map((seed) => watch({ delayMs: 50, jitterMs: 5, loss: bursty }, seed));
    const mean = runs.reduce((sum, { starvedShare }) => sum + starvedShare, 0) / runs.length;
    expect(mean).toBeLessThan(0.005);
    for (const run of runs) {
      expect(run.worstStepM).toBeLessThan(0.3);
      expect(run.worstErrorM).toBeLessThan(1);
      expect(run.delayMs).toBeLessThan(400);
    }
  });

  test("on a good path the delay shrinks, and positions are exact to a centimetre", () => {
    const run = watch({ delayMs: 20, jitterMs: 1 }, 1);
    expect(run.delayMs).toBeLessThan(85);
    expect(run.worstErrorM).toBeLessThan(0.01);
    expect(run.starvedShare).toBeLessThan(0.005);
  });

  test("the delay of a stream does not grow with waits for lost packets", () => {
    const stream = { ordered: true, reliable: true, retransmitMs: 50 };
    for (const seed of [1, 2, 3, 4, 5]) {
      const run = watch({ delayMs: 50, loss: { kind: "uniform", ratio: 0.03 } }, seed, stream);
      expect(run.delayMs).toBeLessThan(105);
      // Waits of 150 ms and more are extrapolated, and corrected without a jump.
      expect(run.worstStepM).toBeLessThan(0.3);
    }
  });

  test("two states that arrive together by chance do not count as a wait", () => {
    const run = watch({ delayMs: 50, jitterMs: 25 }, 1);
    expect(run.starvedShare).toBeLessThan(0.005);
  });

  test("an outage is bridged by limited extrapolation, and ends without a jump", () => {
    const body = new InterpolatedBody(
      { layout: LAYOUT, extrapolationLimitMs: 250, convergence: DEFAULT_CONVERGENCE },
      WIDTH,
    );
    const shown = new Float64Array(WIDTH);
    const last = new Float64Array(WIDTH);
    for (let step = 0; step <= 20; step++) body.receive(truth(step / 20), step / 20);
    let worst = 0;
    const bridged: number[] = [];
    for (let now = 0.5; now < 3; now += 1 / 60) {
      // After the outage snapshots arrive again, five of them ahead of the shown time.
      const ahead = now > 1.6 ? [0, 1, 2, 3, 4, 5] : [];
      for (const step of ahead.map((more) => Math.floor(now * 20) + more)) {
        body.receive(truth(step / 20), step / 20);
      }
      body.show(now, shown);
      if (now > 0.52) worst = Math.max(worst, Math.hypot(shown[0]! - last[0]!, shown[1]! - last[1]!));
      if (now > 1.3 && now < 1.6) bridged.push(shown[0]!);
      last.set(shown);
    }
    for (const x of bridged) expect(x).toBeCloseTo(15 * 1.25, 1);
    expect(worst).toBeLessThan(0.3 + 16 / 60);
    expect(shown[0]).toBeCloseTo(truth(3 - 1 / 60)[0]!, 0);
  });

  test("nothing is shown between the poses before and after a jump", () => {
    const body = new InterpolatedBody(
      { layout: LAYOUT, extrapolationLimitMs: 250, convergence: DEFAULT_CONVERGENCE },
      WIDTH,
    );
    const shown = new Float64Array(WIDTH);
    expect(body.show(0, shown)).toBe("none");
    body.receive(Float64Array.of(0, 0, 0, 0, 0), 1);
    body.receive(Float64Array.of(100, 0, 0, 0, 0), 2, true);
    for (const [now, x] of [
      [0.5, 0],
      [1.9, 0],
      [2, 100],
    ] as const) {
      expect(body.show(now, shown)).toBe("interpolated");
      expect(shown[0]).toBe(x);
    }
    expect(body.receive(Float64Array.of(NaN, 0, 0, 0, 0), 3)).toBe(false);
    expect(body.receive(Float64Array.of(1, 0, 0, 0, 0), 2)).toBe(false);
    expect(body.show(NaN, shown)).toBe("none");
  });
});
