import {
  DEFAULT_CONVERGENCE,
  RemoteBody,
  newReckoner,
  reckonerOf,
  reckoningModelOf,
  sendDecisionOf,
} from "@paceline/netcode";
import { SentReplica } from "../src/replica/sent-replica.js";
import { angle, defineEntity, flag, scalar, vec2, type EntityDefinition } from "@paceline/protocol";
import { describe, expect, test } from "vitest";

const TICK_SECONDS = 1 / 60;
const fields = {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
  heading: angle({ precision: 0.001, unit: "rad" }),
  throttle: scalar({ range: [-1, 1], precision: 0.01 }),
  braking: flag(),
};
const Kart = defineEntity("kart", fields, {
  motion: "step",
  step: (kart, seconds) => {
    const drive = kart.braking ? -10 : 10 * kart.throttle;
    kart.velocity.x += drive * seconds;
    kart.position.x += kart.velocity.x * seconds;
    kart.heading += 4 * seconds;
  },
}) as unknown as EntityDefinition;
const policy = {
  minIntervalMs: 33,
  heartbeatMs: 1000,
  movingHeartbeatMs: 300,
  positionThresholdM: 0.1,
  headingThresholdRad: 10,
  horizonMs: 0,
  repeatAfterMs: 0,
};

/** Defines a kart whose model calls `how.step`. */
function broken(how: { step: (seconds: number) => number }): EntityDefinition {
  return defineEntity("kart", fields, {
    step: (kart, seconds) => {
      kart.position.x += how.step(seconds);
    },
  });
}

describe("a game's own model", () => {
  test("continues an entity by its fields, without derived components", () => {
    expect(Kart.components).toHaveLength(7);
    const reckoner = newReckoner(Kart.motionLayout!, reckoningModelOf(Kart));
    reckoner.take(Float64Array.of(1, 2, 10, 0, 3, 0.5, 0), 0);
    const row = new Float64Array(7);
    reckoner.predict(1, row);
    expect(row[2]).toBeCloseTo(15, 6);
    expect(row[0]).toBeCloseTo(13.5, 1);
    // Headings are wrapped.
    expect(row[4]).toBeCloseTo(7 - 2 * Math.PI, 6);
    reckoner.take(Float64Array.of(0, 0, 10, 0, 0, 0.5, 1), 0);
    reckoner.predict(0.5, row);
    expect(row[2]).toBeCloseTo(5, 6);
  });

  test("causes heartbeats only while the owner drives as the model predicts", () => {
    const replica = new SentReplica({
      definition: Kart,
      tickSeconds: TICK_SECONDS,
      decisionOf: sendDecisionOf,
    });
    const state = Float32Array.of(0, 0, 0, 0, 0, 1, 0);
    const sentAt: number[] = [];
    const step = Kart.step as (state: object, seconds: number) => void;
    const kart = {
      position: { x: 0, y: 0 },
      velocity: { x: 0, y: 0 },
      heading: 0,
      throttle: 1,
      braking: false,
    };
    for (let tick = 0; tick < 40; tick++) {
      if (tick > 0) step(kart, TICK_SECONDS);
      state.set([kart.position.x, 0, kart.velocity.x, 0, kart.heading]);
      if (replica.urgency(state, tick, (tick * 1000) / 60, policy) === 0) continue;
      replica.sent(state, tick, (tick * 1000) / 60);
      sentAt.push(tick);
    }
    expect(sentAt).toEqual([0, 18, 36]);
  });

  test.each([
    ["throws", "threw"],
    ["returns NaN", "not-finite"],
  ])("that %s is reported once; the entity holds its last good pose", (how, kind) => {
    let isBroken = false;
    const model = broken({
      step: (seconds) => {
        if (!isBroken) return seconds;
        if (how === "throws") throw new Error("no road");
        return Number.NaN;
      },
    });
    const faults: string[] = [];
    const onFault = (fault: { readonly kind: string }): number => faults.push(fault.kind);
    const options = {
      layout: model.motionLayout!,
      reckoner: reckonerOf(model),
      convergence: DEFAULT_CONVERGENCE,
      extrapolationLimitMs: 500,
      onFault,
    };
    const body = new RemoteBody(options, 7);
    const row = new Float64Array(7);
    body.receive(new Float64Array(7), 0, 0);
    expect(body.show(0.1, row)).toBe(true);
    const good = row[0]!;
    isBroken = true;
    expect([body.show(0.2, row), body.show(0.3, row)]).toEqual([false, false]);
    expect([row[0], ...faults]).toEqual([good, kind]);
    isBroken = false;
    expect(body.show(0.4, row)).toBe(true);
    expect(row[0]).toBeCloseTo(0.4, 6);
  });

  test.each([
    ["throws", "threw"],
    ["returns NaN", "not-finite"],
  ])("that %s at the owner is reported once, and the entity is sent", (how, kind) => {
    const faults: string[] = [];
    const definition = broken({
      step: () => {
        if (how === "throws") throw new Error("no road");
        return Number.NaN;
      },
    });
    const replica = new SentReplica({
      definition,
      tickSeconds: TICK_SECONDS,
      decisionOf: sendDecisionOf,
      onFault: (fault) => faults.push(fault.kind),
    });
    const state = new Float32Array(7);
    let sent = 0;
    for (let tick = 0; tick < 9; tick++) {
      if (replica.urgency(state, tick, (tick * 1000) / 60, policy) === 0) continue;
      replica.sent(state, tick, (tick * 1000) / 60);
      sent += 1;
    }
    expect([sent, ...faults]).toEqual([5, kind]);
  });
});
