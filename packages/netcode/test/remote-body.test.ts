import { describe, expect, test } from "vitest";
import {
  DEFAULT_CONVERGENCE,
  SendDecision,
  RemoteBody,
  repeatAfterMsFor,
  type BodyLayout,
  type MotionFault,
  type SendDecisionPolicy,
} from "../src/index.js";
import { newReckoner, type ReckoningModel } from "../src/reckoning/reckoning-model.js";

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, velocity: 2, heading: 4, turnRate: 5 };
const WIDTH = 6;
const TICK = 1 / 60;

function row(x: number, vx: number, heading = 0): Float64Array {
  return Float64Array.of(x, 0, vx, 0, heading, 0);
}

function remoteBody(model: ReckoningModel, onFault?: (fault: MotionFault) => void): RemoteBody {
  const reckoner = newReckoner(LAYOUT, model);
  const options = { layout: LAYOUT, reckoner, convergence: DEFAULT_CONVERGENCE, extrapolationLimitMs: 500 };
  return new RemoteBody(onFault ? { ...options, onFault } : options, WIDTH);
}

describe("remote body", () => {
  test("continues its state to now, up to the extrapolation limit", () => {
    const body = remoteBody("velocity");
    const shown = new Float64Array(WIDTH);
    expect(body.show(0, shown)).toBe(false);
    expect(body.receive(row(0, 10), 1, 1.05)).toBeUndefined();
    expect(body.show(1.2, shown)).toBe(true);
    expect(shown[0]).toBeCloseTo(2, 9);
    body.show(9, shown);
    expect(shown[0]).toBeCloseTo(5, 9);
  });

  test("blends a correction, and shows a teleport at once", () => {
    const body = remoteBody("velocity");
    const shown = new Float64Array(WIDTH);
    body.receive(row(0, 10), 1, 1);
    body.receive(row(2, 10), 1.1, 1.1);
    body.show(1.1, shown);
    expect(shown[0]).toBeCloseTo(1, 9);
    body.show(1.5, shown);
    expect(shown[0]).toBeCloseTo(6, 9);
    body.receive(row(7, 0), 1.6, 1.6, true);
    body.show(1.6, shown);
    expect(shown[0]).toBe(7);
  });

  test("refuses states that are old, from the future, or not finite", () => {
    const body = remoteBody("velocity");
    body.receive(row(0, 0), 100, 100);
    expect(body.receive(row(5, 0), 100, 101)).toBe("outdated");
    expect(body.receive(row(5, 0), 99, 101)).toBe("outdated");
    expect(body.receive(row(5, 0), 104, 101)).toBe("future");
    expect(body.receive(row(NaN, 0), 102, 101)).toBe("not-finite");
    expect(body.receive(row(5, 0), Infinity, 101)).toBe("not-finite");
    const shown = new Float64Array(WIDTH);
    body.show(102, shown);
    expect(shown[0]).toBe(0);
  });

  test("stays within its extrapolation limit when time stands still, jumps or runs backwards", () => {
    const body = remoteBody("velocity");
    const shown = new Float64Array(WIDTH);
    body.receive(row(0, 10), 10, 10);
    for (const now of [10, 0, -1e9, 1e9, NaN, 10.1]) {
      body.show(now, shown);
      expect(shown[0]).toBeGreaterThanOrEqual(0);
      expect(shown[0]).toBeLessThanOrEqual(5);
    }
  });

  for (const [kind, step] of [
    [
      "threw",
      () => {
        throw new Error("the game's own");
      },
    ],
    ["not-finite", (state: Float64Array | Float32Array) => void (state[0] = NaN)],
  ] as const) {
    test(`keeps its last good pose when the game's model fails (${kind}), reports once, and recovers`, () => {
      let isBroken = false;
      const faults: MotionFault[] = [];
      const model = (state: Float64Array | Float32Array, seconds: number): void => {
        if (isBroken) step(state);
        else state[0]! += state[2]! * seconds;
      };
      const body = remoteBody(model, (fault) => faults.push(fault));
      const other = remoteBody("velocity");
      const shown = new Float64Array(WIDTH);
      body.receive(row(0, 10), 0, 0);
      other.receive(row(0, 10), 0, 0);
      expect(body.show(0.1, shown)).toBe(true);
      isBroken = true;
      for (const now of [0.2, 0.3, 0.4]) expect(body.show(now, shown)).toBe(false);
      expect(shown[0]).toBeCloseTo(1, 9);
      expect(faults.map((fault) => fault.kind)).toEqual([kind]);
      // A state that arrives meanwhile must not throw either.
      body.receive(row(3, 10), 0.3, 0.4);
      other.show(0.4, shown);
      expect(shown[0]).toBeCloseTo(4, 9);
      isBroken = false;
      expect(body.show(0.5, shown)).toBe(true);
      isBroken = true;
      body.show(0.6, shown);
      expect(faults).toHaveLength(2);
      // A state of the present is shown without the model, which is broken as before.
      body.receive(row(4, 10), 0.7, 0.7);
      expect(body.show(0.7, shown)).toBe(true);
      body.show(0.8, shown);
      expect(faults).toHaveLength(2);
    });
  }
});

const POLICY: SendDecisionPolicy = {
  positionThresholdM: 0.1,
  headingThresholdRad: 0.1,
  horizonMs: 0,
  minIntervalMs: 30,
  heartbeatMs: 1000,
  movingHeartbeatMs: 300,
  repeatAfterMs: 0,
};

/** Runs an owner for some ticks. Returns the ticks and reasons of its sends. */
function publish(
  stateAt: (tick: number) => Float64Array,
  policy: SendDecisionPolicy = POLICY,
  ticks = 120,
  firstTick = 0,
): { tick: number; reason: string }[] {
  const velocity = () => newReckoner(LAYOUT, "velocity");
  const reckoners = { sent: velocity(), fresh: velocity() };
  const decision = new SendDecision({ layout: LAYOUT, ...reckoners, tickSeconds: TICK }, WIDTH);
  const sent: { tick: number; reason: string }[] = [];
  for (let step = 0; step < ticks; step++) {
    const tick = (firstTick + step) >>> 0;
    const state = stateAt(step);
    const reason = decision.due(state, tick, policy);
    if (!reason) continue;
    decision.sent(state, tick, reason);
    sent.push({ tick: step, reason });
  }
  return sent;
}

describe("send decision", () => {
  test("a standing or steadily driving entity is sent at heartbeats only", () => {
    expect(publish(() => row(1, 0)).map(({ tick }) => tick)).toEqual([0, 60]);
    const driving = publish((tick) => row(tick * TICK * 10, 10));
    expect(driving.map(({ reason }) => reason)).toEqual(["first", ...Array<string>(6).fill("heartbeat")]);
  });

  test("position and heading have their own thresholds", () => {
    const jump = publish((tick) => row(tick < 10 ? 0 : 0.2, 0), POLICY, 20);
    expect(jump).toEqual([
      { tick: 0, reason: "first" },
      { tick: 10, reason: "position" },
    ]);
    const turn = publish((tick) => row(0, 0, tick < 10 ? 0 : 0.2), POLICY, 20);
    expect(turn[1]).toEqual({ tick: 10, reason: "heading" });
  });

  test("with a horizon an update is sent as soon as the old prediction will be wrong", () => {
    const braking = (tick: number): Float64Array => {
      const t = Math.max(0, tick - 10) * TICK;
      return row((tick - Math.max(0, tick - 10)) * TICK * 10 + 10 * t - 10 * t * t, 10 - 20 * t);
    };
    const now = publish(braking, POLICY, 30)[1]!.tick;
    const ahead = publish(braking, { ...POLICY, horizonMs: 65 }, 30)[1]!.tick;
    expect(ahead).toBeLessThan(now);
  });

  test("updates keep their minimum interval, and are repeated once on lossy paths", () => {
    const wild = publish((tick) => row(tick % 2, 0), POLICY, 60);
    for (let index = 1; index < wild.length; index++) {
      expect(wild[index]!.tick - wild[index - 1]!.tick).toBeGreaterThanOrEqual(2);
    }
    expect(repeatAfterMsFor(0.01)).toBe(0);
    const repeatAfterMs = repeatAfterMsFor(0.05);
    const once = publish((tick) => row(tick < 10 ? 0 : 5, 0), { ...POLICY, repeatAfterMs }, 50);
    expect(once.map(({ reason }) => reason)).toEqual(["first", "repeat", "position", "repeat"]);
  });

  test("an interpolated entity that stops is sent twice, and once more on lossy paths", () => {
    const stops = (tick: number): Float64Array => row(Math.min(tick, 10), tick < 10 ? 60 : 0);
    const policy = { ...POLICY, minIntervalMs: 0, isInterpolated: true };
    const sent = (repeatAfterMs: number) => publish(stops, { ...policy, repeatAfterMs }, 60).slice(10);
    const twice = [
      { tick: 10, reason: "snapshot" },
      { tick: 11, reason: "repeat" },
    ];
    expect(sent(0)).toEqual(twice);
    expect(sent(67)).toEqual([...twice, { tick: 15, reason: "repeat" }]);
  });

  test("a wrap of ticks causes no send", () => {
    const first = 0xffffffff - 30;
    const sent = publish((tick) => row(tick * TICK * 10, 10), POLICY, 60, first);
    expect(sent.every(({ reason }) => reason === "first" || reason === "heartbeat")).toBe(true);
  });

  test("a state that is not finite is not sent", () => {
    const sent = publish((tick) => row(tick < 10 ? 0 : NaN, 0), POLICY, 100);
    expect(sent).toEqual([{ tick: 0, reason: "first" }]);
  });
});
