import { SentReplica } from "../src/replica/sent-replica.js";
import { kinematicsOf, sendDecisionOf, type Kinematics } from "@paceline/netcode";
import { defineEntity, scalar, vec2, type EntityDefinition } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { Car, Ship, Sign } from "./definitions.js";
import { TICK_SECONDS, policy } from "./racing-policy.js";

/** Steps an entity tick by tick, sends it when it is due, and records the ticks of its sends. */
class Owner {
  readonly sentAt: number[] = [];
  readonly replica: SentReplica;
  readonly kinematics: Kinematics | undefined;
  readonly state: Float32Array;
  readonly #firstTick: number;
  #step = 0;

  constructor(definition: EntityDefinition, firstTick = 0) {
    this.replica = new SentReplica({ definition, tickSeconds: TICK_SECONDS, decisionOf: sendDecisionOf });
    this.kinematics = kinematicsOf(definition);
    this.state = new Float32Array(definition.components.length);
    this.#firstTick = firstTick;
  }

  run(
    ticks: number,
    write: (state: Float32Array, step: number) => void = () => undefined,
    policyNow = policy,
  ) {
    for (let count = 0; count < ticks; count++) {
      const tick = (this.#firstTick + this.#step) >>> 0;
      const nowMs = this.#step * TICK_SECONDS * 1000;
      write(this.state, this.#step);
      this.kinematics?.derive(this.state, tick, TICK_SECONDS);
      if (this.replica.urgency(this.state, tick, nowMs, policyNow) > 0) {
        this.replica.sent(this.state, tick, nowMs);
        this.sentAt.push(this.#step);
      }
      this.#step += 1;
    }
  }
}

describe("an entity is sent", () => {
  test("at once, then once per heartbeat while it stands", () => {
    const owner = new Owner(Car);
    owner.run(61 * 3);
    expect(owner.sentAt).toEqual([0, 60, 120, 180]);
  });

  test("once per moving heartbeat while it moves as predicted", () => {
    const owner = new Owner(Car);
    owner.run(60, (state, step) => state.set([step * 0.5, 0, 30, 0]));
    expect(owner.sentAt).toEqual([0, 18, 36, 54]);
  });

  test("at the definition's own heartbeat if it has one", () => {
    const slow = defineEntity("slow", Sign.fields, { heartbeatMs: 2000 });
    const owner = new Owner(slow);
    owner.run(60 * 5);
    expect(owner.sentAt).toEqual([0, 120, 240]);
  });

  test("when its position is off by more than the threshold, not by less", () => {
    const owner = new Owner(Car);
    owner.run(10);
    owner.run(5, (state) => (state[1] = 0.099));
    expect(owner.sentAt).toEqual([0]);
    owner.run(1, (state) => (state[1] = 0.101));
    expect(owner.sentAt).toEqual([0, 15]);
  });

  test("when its heading is off by more than the threshold, measured the short way around", () => {
    const owner = new Owner(Car);
    owner.run(5, (state) => (state[4] = 3.13));
    owner.run(5, (state) => (state[4] = -3.13));
    expect(owner.sentAt).toEqual([0]);
    owner.run(5, (state) => (state[4] = -3.1));
    // After the turn it stands, so the predicted turn is corrected, too.
    expect(owner.sentAt.length).toBeGreaterThan(1);
  });

  test("when any other field changes by more than half of its precision", () => {
    const owner = new Owner(Car);
    owner.run(10);
    owner.run(5, (state) => (state[5] = 0.004));
    expect(owner.sentAt).toEqual([0]);
    owner.run(5, (state) => (state[5] = 0.02));
    owner.run(5, (state) => (state[6] = 1));
    owner.run(5, (state) => (state[7] = 1));
    expect(owner.sentAt).toEqual([0, 15, 20, 25]);
  });

  test("at the definition's own threshold if it has one", () => {
    const fields = {
      position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
      fuel: scalar({ range: [0, 1], precision: 0.01 }),
    };
    const owner = new Owner(defineEntity("tank", fields, { threshold: { position: 2, fuel: 0.5 } }));
    owner.run(10);
    owner.run(5, (state) => state.set([1.9, 0, 0.4]));
    expect(owner.sentAt).toEqual([0]);
    owner.run(1, (state) => state.set([2.1, 0, 0.4]));
    owner.run(3, (state) => state.set([2.1, 0, 0.6]));
    owner.run(3, (state) => state.set([2.1, 0, 0.95]));
    expect(owner.sentAt).toEqual([0, 15, 19]);
  });

  test("not for a change of velocity alone, before its position is wrong", () => {
    const owner = new Owner(Car);
    owner.run(10, (state, step) => state.set([step * 0.5, 0, 30, 0]));
    owner.run(1, (state, step) => state.set([step * 0.5, 0, 33, 0]));
    expect(owner.sentAt).toEqual([0]);
  });

  test("never twice within the interval, for any motion", () => {
    const owner = new Owner(Car);
    owner.run(600, (state, step) => state.set([(step % 7) * 50, step % 2, 0, 0, step % 3, 0, 0, step % 2]));
    const gaps = owner.sentAt.slice(1).map((step, index) => step - owner.sentAt[index]!);
    // The interval of 33.3 ms is two ticks of 16.7 ms.
    expect(new Set(gaps)).toEqual(new Set([2]));
    const slower = new Owner(Car);
    slower.run(600, (state, step) => (state[0] = step % 900), { ...policy, minIntervalMs: 100 });
    expect(Math.min(...slower.sentAt.slice(1).map((step, index) => step - slower.sentAt[index]!))).toBe(6);
  });
});

describe("velocity and turn rate", () => {
  const [VX, VY, TURN_RATE] = [3, 4, 5];

  test("are derived from positions, headings and ticks", () => {
    const owner = new Owner(Ship);
    owner.run(10, (state, step) => state.set([step * 0.5, -step, wrapped(step * 0.05)]));
    expect(owner.state[VX]).toBeCloseTo(30, 3);
    expect(owner.state[VY]).toBeCloseTo(-60, 3);
    expect(owner.state[TURN_RATE]).toBeCloseTo(3, 3);
    owner.run(1);
    expect([...owner.state.slice(VX)]).toEqual([0, 0, 0]);
  });

  test("are right when ticks and headings wrap", () => {
    const owner = new Owner(Ship, 2 ** 32 - 3);
    owner.run(3, (state, step) => state.set([step, 0, wrapped(3.1 + step * 0.02)]));
    for (let count = 0; count < 6; count++) {
      owner.run(1, (state, step) => state.set([step, 0, wrapped(3.1 + step * 0.02)]));
      expect(owner.state[VX]).toBeCloseTo(60, 3);
      expect(owner.state[TURN_RATE]).toBeCloseTo(1.2, 2);
    }
  });

  test("count the ticks that the game has skipped", () => {
    const kinematics = kinematicsOf(Ship)!;
    const state = new Float32Array(6);
    kinematics.derive(state, 100, TICK_SECONDS);
    state[0] = 3;
    kinematics.derive(state, 106, TICK_SECONDS);
    expect(state[VX]).toBeCloseTo(30, 3);
  });

  test("do not change when a tick is repeated, and restart when ticks go back", () => {
    const kinematics = kinematicsOf(Ship)!;
    const state = new Float32Array(6);
    kinematics.derive(state, 100, TICK_SECONDS);
    state[0] = 1;
    kinematics.derive(state, 101, TICK_SECONDS);
    state[0] = 2;
    kinematics.derive(state, 101, TICK_SECONDS);
    expect(state[VX]).toBeCloseTo(60, 3);
    kinematics.derive(state, 5, TICK_SECONDS);
    expect(state[VX]).toBeCloseTo(60, 3);
    state[0] = 2.5;
    kinematics.derive(state, 6, TICK_SECONDS);
    expect(state[VX]).toBeCloseTo(30, 3);
  });

  test("are not derived if the game declares a velocity", () => {
    const owner = new Owner(Car);
    owner.run(5, (state, step) => state.set([step, 0, 7, 8]));
    expect([...owner.state.slice(2, 4)]).toEqual([7, 8]);
  });
});

function wrapped(angleRad: number): number {
  return Math.atan2(Math.sin(angleRad), Math.cos(angleRad));
}
