import { describe, expect, test } from "vitest";
import { carAt, idleInput } from "../src/car/car-state.js";
import { STEP_HZ } from "../src/car/step-car.js";
import { ComputerDriver } from "../src/drivers/computer-driver.js";
import { identityOf, readOptions } from "../src/drivers/driver-options.js";
import { skillOf } from "../src/drivers/racecraft.js";
import { Racer } from "../src/race/racer.js";
import { circuitOf } from "../src/track/circuits.js";
import "../src/track/salt-flats.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";
import { poseOnTrack } from "../src/track/track.js";

interface Entrant {
  readonly racer: Racer;
  readonly driver: ComputerDriver;
  readonly lapTimesMs: number[];
  offSteps: number;
  resets: number;
}

function entrant(slot: number, skill: number, on = circuit): Entrant {
  const racer = new Racer(on, slot);
  return {
    racer,
    driver: new ComputerDriver(skillOf(skill)),
    lapTimesMs: [],
    offSteps: 0,
    resets: 0,
  };
}

/** Simulates the given time, as fast as the machine can. */
function race(entrants: readonly Entrant[], seconds: number, parked: readonly Racer[] = []): void {
  for (let step = 0; step < seconds * STEP_HZ; step++) {
    for (const one of entrants) {
      const others = [
        ...entrants.filter((other) => other !== one).map(({ racer }) => racer.car),
        ...parked.map(({ car }) => car),
      ];
      const decision = one.driver.decide(one.racer.car, others);
      if (decision.reset) {
        one.resets++;
        one.racer.resetToTrack();
      }
      const event = one.racer.step(decision, others);
      if (event?.kind === "lap") one.lapTimesMs.push(event.timeMs);
      if (one.racer.car.wheelsOff >= 3) one.offSteps++;
    }
    for (const racer of parked)
      racer.step(
        idleInput,
        entrants.map((one) => one.racer.car),
      );
  }
}

describe("a computer driver", () => {
  test.each([0, 1, 2, 3, 4])("of skill %i drives clean laps of 35 to 60 s", (skill) => {
    const one = entrant(0, skill);
    race([one], 140);
    expect(one.lapTimesMs.length).toBeGreaterThanOrEqual(2);
    for (const timeMs of one.lapTimesMs) {
      expect(timeMs).toBeGreaterThan(35_000);
      expect(timeMs).toBeLessThan(60_000);
    }
    expect(one.offSteps).toBeLessThan(STEP_HZ);
    expect(one.resets).toBe(0);
  });

  test.each([0, 4])("of skill %i drives the fast loop flat out and stays on it", (skill) => {
    const one = entrant(0, skill, circuitOf(2));
    race([one], 85);
    expect(one.lapTimesMs).toHaveLength(2);
    expect(one.lapTimesMs[1]).toBeLessThan(40_000);
    expect([one.offSteps, one.resets]).toEqual([0, 0]);
  });

  test("laps faster the more skill it has", () => {
    const best = [0, 1, 2, 3].map((skill) => {
      const one = entrant(0, skill);
      race([one], 100);
      return Math.min(...one.lapTimesMs);
    });
    expect(best).toEqual([...best].sort((a, b) => a - b));
  });

  test("drives three laps among three others without a reset", () => {
    const field = [3, 2, 1, 0].map((skill, slot) => entrant(slot, skill));
    race(field, 140);
    for (const one of field) {
      expect(one.lapTimesMs.length).toBeGreaterThanOrEqual(3);
      expect(one.offSteps).toBeLessThan(8 * STEP_HZ);
      expect(one.resets).toBe(0);
    }
  });

  test.each([
    ["on the grid", 0],
    ["in the hairpin", 440],
    ["in the chicane", 690],
    ["on the straight", 1050],
  ])("drives two laps past a car parked %s", (_where, distanceM) => {
    const parked = new Racer(circuit, 0);
    if (distanceM > 0) {
      Object.assign(parked.car, carAt(poseOnTrack(circuit.track, distanceM)));
    }
    const field = [0, 1, 2, 3].map((skill) => entrant(skill + 1, skill));
    race(field, 100, [parked]);
    for (const one of field) expect(one.lapTimesMs.length).toBeGreaterThanOrEqual(2);
  });

  test("frees itself from a wall", () => {
    const one = entrant(0, 1);
    Object.assign(one.racer.car, { y: one.racer.car.y - 25, headingRad: -Math.PI / 2 });
    race([one], 75);
    expect(one.lapTimesMs.length).toBeGreaterThanOrEqual(1);
  });
});

test("a wrong option of the drivers is refused by name", () => {
  expect(readOptions(["--server", "http://127.0.0.1:8080"])).toEqual({
    server: "http://127.0.0.1:8080",
    count: 4,
  });
  expect(readOptions(["--server", "http://127.0.0.1:8080", "--count", "5"]).count).toBe(5);
  expect(() => readOptions([])).toThrow("--server");
  expect(() => readOptions(["--server", "nowhere"])).toThrow("--server");
  expect(() => readOptions(["--server", "http://127.0.0.1:1", "--count", "40"])).toThrow("1 to 16");
  expect(new Set(Array.from({ length: 16 }, (_, index) => identityOf(index).name)).size).toBe(16);
  expect(() => readOptions(["--speed", "9"])).toThrow("unknown option --speed");
});
