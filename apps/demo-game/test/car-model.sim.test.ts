import {
  DEFAULT_CONVERGENCE,
  Kinematics,
  RemoteBody,
  newReckoner,
  reckoningModelOf,
  sendDecisionOf,
  type SendDecisionPolicy,
} from "@paceline/netcode";
import { describe, expect, test } from "vitest";
import type { CarState, DriveInput } from "../src/car/car-state.js";
import { STEP_HZ, STEP_S } from "../src/car/step-car.js";
import { ComputerDriver } from "../src/drivers/computer-driver.js";
import { skillOf } from "../src/drivers/racecraft.js";
import { Car, ComputerCar } from "../src/net/car-entity.js";
import { Racer } from "../src/race/racer.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";

type Definition = typeof Car | typeof ComputerCar;
interface Moment {
  readonly car: CarState;
  readonly input: DriveInput;
}

const SECONDS = 40;
const ONE_WAY_MS = 50;
const policy: SendDecisionPolicy = {
  positionThresholdM: 0.1,
  headingThresholdRad: 0.035,
  horizonMs: ONE_WAY_MS + 14,
  minIntervalMs: 33,
  heartbeatMs: 1000,
  movingHeartbeatMs: 300,
  repeatAfterMs: 0,
};

/** Returns every step of four computer drivers in traffic. */
function race(hands: (input: DriveInput) => DriveInput): Moment[][] {
  const field = [0, 1, 2, 3].map((slot) => ({
    racer: new Racer(circuit, slot),
    driver: new ComputerDriver(skillOf(slot)),
    moments: [] as Moment[],
  }));
  for (let step = 0; step < SECONDS * STEP_HZ; step++) {
    for (const one of field) {
      const others = field.filter((other) => other !== one).map(({ racer }) => racer.car);
      const input = hands(one.driver.decide(one.racer.car, others));
      one.racer.step(input, others);
      one.moments.push({ car: { ...one.racer.car }, input: { ...input } });
    }
  }
  return field.map(({ moments }) => moments);
}

/** Imitates a keyboard: four keys, pressed in pulses whose average is what the driver wants. */
function keys(): (input: DriveInput) => DriveInput {
  let [steerDue, throttleDue] = [0, 0];
  return ({ steer, throttle, handbrake }) => {
    steerDue = Math.max(-12, Math.min(12, steerDue + steer));
    throttleDue = Math.max(-12, Math.min(12, throttleDue + throttle));
    const key = (due: number): number => (Math.abs(due) > 4 ? Math.sign(due) : 0);
    const pressed = { steer: key(steerDue), throttle: key(throttleDue), handbrake };
    steerDue -= pressed.steer;
    throttleDue -= pressed.throttle;
    return pressed;
  };
}

function rowOf(definition: Definition, { car, input }: Moment): Float64Array {
  const row = new Float64Array(definition.components.length);
  const put = (field: string, ...values: number[]): void => {
    const at: number | undefined = (definition.offsets as Record<string, number>)[field];
    if (at !== undefined) row.set(values, at);
  };
  put("position", car.x, car.y);
  put("velocity", car.velocityX, car.velocityY);
  put("heading", car.headingRad);
  put("steer", car.steer);
  put("throttle", car.throttle);
  put("handbrake", Number(car.handbrake));
  put("yawRate", car.yawRateRadPerS);
  put("wantedSteer", input.steer);
  return row;
}

/** Plays the races over a path of 50 ms to a receiver that draws once per step. */
function play(definition: Definition, races: readonly (readonly Moment[])[]) {
  const layout = definition.motionLayout!;
  const model = reckoningModelOf(definition);
  const width = definition.components.length;
  const errors: number[] = [];
  let updates = 0;
  for (const moments of races) {
    const publication = sendDecisionOf(definition, STEP_S)!;
    const kinematics = new Kinematics(layout, { isVelocityGiven: true });
    const reckoner = newReckoner(layout, model);
    const options = { layout, reckoner, convergence: DEFAULT_CONVERGENCE, extrapolationLimitMs: 500 };
    const body = new RemoteBody(options, width);
    const shown = new Float64Array(width);
    const flying: { readonly row: Float64Array; readonly tick: number }[] = [];
    let lastSent = -10;
    for (const [tick, moment] of moments.entries()) {
      const row = rowOf(definition, moment);
      kinematics.derive(row, tick, STEP_S);
      const reason =
        tick - lastSent >= 2 ? publication.due(row, tick, { ...policy, minIntervalMs: 0 }) : undefined;
      if (reason) {
        publication.sent(row, tick, reason);
        flying.push({ row, tick });
        lastSent = tick;
        updates += 1;
      }
      while (flying[0] && flying[0].tick + ONE_WAY_MS / 1000 / STEP_S <= tick) {
        const { row: arrived, tick: of } = flying.shift()!;
        body.receive(arrived, of * STEP_S, tick * STEP_S);
      }
      if (!body.show(tick * STEP_S, shown) || tick < STEP_HZ) continue;
      errors.push(
        Math.hypot(shown[layout.position]! - moment.car.x, shown[layout.position + 1]! - moment.car.y),
      );
    }
  }
  errors.sort((a, b) => a - b);
  return {
    updatesPerSecond: updates / SECONDS / races.length,
    p95M: errors[Math.floor(errors.length * 0.95)]!,
    maxM: errors.at(-1)!,
  };
}

describe("the car's physics as motion model", () => {
  test("needs fewer updates than the turn model for a computer driver, with a smaller error", () => {
    const races = race((input) => input);
    const turn = play(Car, races);
    const physics = play(ComputerCar, races);
    expect(physics.updatesPerSecond).toBeLessThan(turn.updatesPerSecond);
    expect(physics.p95M).toBeLessThan(turn.p95M);
  });

  test("is about as good as the turn model for a driver with keys, but with a larger worst error", () => {
    const press = [keys(), keys(), keys(), keys()];
    let next = 0;
    const races = race((input) => press[next++ % 4]!(input));
    const turn = play(Car, races);
    const physics = play(ComputerCar, races);
    expect(physics.updatesPerSecond / turn.updatesPerSecond).toBeGreaterThan(0.85);
    expect(physics.p95M / turn.p95M).toBeGreaterThan(0.95);
    expect(physics.maxM).toBeGreaterThan(turn.maxM);
  });
});
