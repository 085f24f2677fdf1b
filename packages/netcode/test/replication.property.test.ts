import { SentReplica } from "../src/replica/sent-replica.js";
import { headingErrorRad } from "../src/reckoning/receiver-model.js";
import {
  kinematicsOf,
  newReckoner,
  positionErrorM,
  reckoningModelOf,
  sendDecisionOf,
} from "@paceline/netcode";
import { array, assert, double, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { Ship } from "./definitions.js";
import { TICK_SECONDS, policy } from "./racing-policy.js";

const layout = Ship.motionLayout!;
const INTERVAL_SECONDS = 2 * TICK_SECONDS;

/** Generates a swing of up to `size` metres (or radians) and 0.6 turns per second. */
const swing = (size: number) =>
  record({ size: double({ min: 0, max: size, noNaN: true }), hz: double({ min: 0, max: 0.6, noNaN: true }) });
const path = record({
  x: array(swing(150), { minLength: 1, maxLength: 3 }),
  y: array(swing(150), { minLength: 1, maxLength: 3 }),
  heading: array(swing(2), { minLength: 1, maxLength: 2 }),
  firstTick: integer({ min: 0, max: 0xffffffff }),
});

function at(swings: readonly { size: number; hz: number }[], seconds: number): number {
  return swings.reduce((sum, { size, hz }) => sum + size * Math.sin(2 * Math.PI * hz * seconds), 0);
}

test("the extrapolated pose is off by at most the threshold plus the drift of one interval", () => {
  assert(
    property(path, ({ x, y, heading, firstTick }) => {
      const replica = new SentReplica({
        definition: Ship,
        tickSeconds: TICK_SECONDS,
        decisionOf: sendDecisionOf,
      });
      const kinematics = kinematicsOf(Ship)!;
      const reckoner = newReckoner(layout, reckoningModelOf(Ship));
      const width = Ship.components.length;
      const [state, sent, expected] = [
        new Float32Array(width),
        new Float32Array(width),
        new Float32Array(width),
      ];
      let sentStep = Number.NEGATIVE_INFINITY;
      let [worstM, worstRad, shortestGap] = [0, 0, Number.POSITIVE_INFINITY];
      for (let step = 0; step < 240; step++) {
        const seconds = step * TICK_SECONDS;
        const tick = (firstTick + step) >>> 0;
        state.set([at(x, seconds), at(y, seconds), at(heading, seconds)]);
        kinematics.derive(state, tick, TICK_SECONDS);
        if (step > 0) {
          reckoner.predict((step - sentStep) * TICK_SECONDS, expected);
          // Nothing is sent during the interval, so the difference of velocities adds up for that long.
          const drift = Math.hypot(state[3]! - sent[3]!, state[4]! - sent[4]!) * INTERVAL_SECONDS;
          worstM = Math.max(worstM, positionErrorM(layout, state, expected) - drift);
          const turn = Math.abs(state[5]! - sent[5]!) * INTERVAL_SECONDS;
          worstRad = Math.max(worstRad, headingErrorRad(layout, state, expected) - turn);
        }
        if (replica.urgency(state, tick, seconds * 1000, policy) === 0) continue;
        shortestGap = Math.min(shortestGap, step - sentStep);
        replica.sent(state, tick, seconds * 1000);
        sent.set(state);
        reckoner.take(state, 0);
        sentStep = step;
      }
      // Float32 adds a little to both.
      expect(worstM).toBeLessThan(policy.positionThresholdM + 0.01);
      expect(worstRad).toBeLessThan(policy.headingThresholdRad + 0.001);
      expect(shortestGap).toBeGreaterThanOrEqual(2);
    }),
    { numRuns: 100 },
  );
});
