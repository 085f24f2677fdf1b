import { describe, expect, test } from "vitest";
import { carAt, speedOf, type CarState, type DriveInput } from "../src/car/car-state.js";
import { stepCar, STEP_HZ } from "../src/car/step-car.js";
import { pushApart } from "../src/car/contact.js";
import { wrapAngle } from "../src/car/angle.js";
import { gridSlot, type Circuit } from "../src/track/circuit.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";
import { buildRoadside, surfaceAt } from "../src/track/surface.js";
import { buildTrack, poseOnTrack, projectOnTrack } from "../src/track/track.js";

/** A circular road of the given width without a wall in reach, to test the car alone. */
function proving(halfWidthM: number): Circuit {
  const points = Array.from({ length: 24 }, (_, i) => ({
    x: Math.cos((i / 24) * 2 * Math.PI) * 900,
    y: Math.sin((i / 24) * 2 * Math.PI) * 900,
    halfWidthM,
  }));
  const track = buildTrack(points, 0);
  return { ...circuit, track, roadside: buildRoadside(track, []), gravelBeds: [], wallDistanceM: 1e6 };
}

const pad = proving(880);
const meadow = proving(1);
const start = { x: -400, y: 0, headingRad: 0 };

function drive(car: CarState, seconds: number, input: Partial<DriveInput>, on: Circuit = pad): CarState {
  const full: DriveInput = { steer: 0, throttle: 0, handbrake: false, ...input };
  for (let step = 0; step < seconds * STEP_HZ; step++) stepCar(car, full, on);
  return car;
}

function driftRad(car: CarState): number {
  return wrapAngle(Math.atan2(car.velocityY, car.velocityX) - car.headingRad);
}

function rolling(speedMps: number): CarState {
  const car = carAt(start);
  car.velocityX = speedMps;
  return car;
}

describe("a car on asphalt", () => {
  test("stands still without input", () => {
    const car = drive(carAt(start), 5, {});
    expect(speedOf(car)).toBe(0);
    expect(car.x).toBe(start.x);
  });

  test("reaches 100 km/h in about three seconds and a top speed below 200 km/h", () => {
    expect(speedOf(drive(carAt(start), 3.2, { throttle: 1 }))).toBeGreaterThan(27);
    const fast = drive(carAt(start), 20, { throttle: 1 });
    expect(speedOf(fast)).toBeGreaterThan(45);
    expect(speedOf(drive(fast, 5, { throttle: 1 }))).toBeLessThan(55);
  });

  test("brakes from 100 km/h within 35 m and then stands", () => {
    const car = rolling(27.8);
    let stoppedAfterM = 0;
    while (car.velocityX > 0.6 && stoppedAfterM < 100) {
      drive(car, 1 / STEP_HZ, { throttle: -1 });
      stoppedAfterM = car.x - start.x;
    }
    expect(stoppedAfterM).toBeGreaterThan(15);
    expect(stoppedAfterM).toBeLessThan(35);
    expect(speedOf(drive(car, 2, { handbrake: true }))).toBeLessThan(0.01);
  });

  test("reverses slowly when the brake is held at a standstill", () => {
    const car = drive(carAt(start), 4, { throttle: -1 });
    expect(car.x).toBeLessThan(start.x);
    expect(speedOf(car)).toBeLessThan(10);
  });

  test("turns clockwise with the wheel to the right, and equally the other way to the left", () => {
    const right = drive(rolling(15), 0.8, { steer: 0.5 });
    const left = drive(rolling(15), 0.8, { steer: -0.5 });
    expect(right.headingRad).toBeGreaterThan(0.2);
    expect(right.y).toBeGreaterThan(start.y);
    expect(left.headingRad).toBeCloseTo(-right.headingRad, 9);
    expect(left.y).toBeCloseTo(-right.y, 9);
  });

  test("swings its nose to the left in reverse with the wheel to the right", () => {
    expect(drive(carAt(start), 2.5, { throttle: -1, steer: 1 }).headingRad).toBeLessThan(-0.2);
  });

  test("grips in a gentle bend, slides with the handbrake", () => {
    const gripping = drive(rolling(20), 1, { steer: 0.4 });
    expect(Math.abs(driftRad(gripping))).toBeLessThan(0.08);
    expect(gripping.rearSlide).toBe(0);
    const sliding = drive(rolling(22), 0.8, { steer: 1, handbrake: true });
    expect(Math.abs(driftRad(sliding))).toBeGreaterThan(0.3);
    expect(sliding.rearSlide).toBeGreaterThan(0.3);
  });

  test("drifts on the throttle without spinning, and straightens when the wheel is released", () => {
    const car = drive(rolling(22), 0.5, { steer: 1, handbrake: true });
    let deepest = 0;
    for (let step = 0; step < 2 * STEP_HZ; step++) {
      stepCar(car, { steer: 1, throttle: 1, handbrake: false }, pad);
      deepest = Math.max(deepest, Math.abs(driftRad(car)));
    }
    expect(deepest).toBeGreaterThan(0.3);
    expect(deepest).toBeLessThan(1);
    drive(car, 1.6, { throttle: 0.3 });
    expect(Math.abs(driftRad(car))).toBeLessThan(0.1);
  });

  test("gives the same result for the same inputs", () => {
    const run = (): CarState =>
      drive(drive(rolling(20), 1, { steer: 1, throttle: 1 }), 1, { handbrake: true });
    expect(run()).toEqual(run());
  });

  test("stays finite under any input, also NaN and Infinity", () => {
    const car = carAt(start);
    const wild = [1, -1, 0.3, Number.NaN, 7, -7, Number.POSITIVE_INFINITY];
    for (let step = 0; step < 4000; step++) {
      const at = (shift: number): number => wild[Math.floor(step / 17 + shift) % wild.length] as number;
      stepCar(car, { steer: at(0), throttle: at(3), handbrake: step % 90 < 20 }, pad);
    }
    for (const value of [car.x, car.y, car.headingRad, car.velocityX, car.velocityY, car.yawRateRadPerS]) {
      expect(Number.isFinite(value)).toBe(true);
    }
    expect(speedOf(car)).toBeLessThan(60);
  });
});

describe("a car off the road", () => {
  test("is slowed by grass and cannot race on it", () => {
    const onRoad = drive(rolling(35), 1.5, {});
    const onGrass = drive(rolling(35), 1.5, {}, meadow);
    expect(onGrass.wheelsOff).toBe(4);
    expect(speedOf(onGrass)).toBeLessThan(speedOf(onRoad) - 6);
    expect(speedOf(drive(carAt(start), 15, { throttle: 1 }, meadow))).toBeLessThan(22);
  });

  test("can always leave gravel on its own", () => {
    const bed = circuit.gravelBeds[0];
    const pose = poseOnTrack(circuit.track, ((bed?.fromM ?? 0) + (bed?.toM ?? 0)) / 2, (bed?.side ?? 1) * 16);
    expect(surfaceAt(circuit.track, circuit.roadside, pose.x, pose.y)).toBe("gravel");
    const car = carAt(pose);
    drive(car, 2, { throttle: 1 }, circuit);
    expect(speedOf(car)).toBeGreaterThan(3);
  });

  test("is held by the wall", () => {
    const car = carAt({ ...poseOnTrack(circuit.track, 60, -20), headingRad: -Math.PI / 2 });
    drive(car, 6, { throttle: 1 }, circuit);
    expect(car.y).toBeGreaterThan(-125);
    expect(Math.abs(speedOf(car))).toBeLessThan(20);
  });
});

describe("a wall", () => {
  /** A car that heads for the wall at the given angle, its middle 6 m away. */
  function towards(angleRad: number, speedMps: number): CarState {
    const at = poseOnTrack(circuit.track, 60, circuit.wallDistanceM - 6);
    const car = carAt({ ...at, headingRad: at.headingRad + angleRad });
    car.velocityX = Math.cos(car.headingRad) * speedMps;
    car.velocityY = Math.sin(car.headingRad) * speedMps;
    return car;
  }

  test("does not stop a car that glances off it at 57 km/h", () => {
    const car = towards(0.6, 16);
    let hitMps = 0;
    for (let step = 0; step < 1.5 * STEP_HZ; step++) {
      stepCar(car, { steer: 0, throttle: 1, handbrake: false }, circuit);
      hitMps = Math.max(hitMps, car.impactMps);
    }
    expect(hitMps).toBeGreaterThan(3);
    expect(speedOf(car)).toBeGreaterThan(8);
  });

  test("keeps the nose of the car out, at any angle", () => {
    for (const angleRad of [0.3, 0.8, 1.2, 1.5]) {
      const car = towards(angleRad, 16);
      for (let step = 0; step < 2 * STEP_HZ; step++) {
        stepCar(car, { steer: 0, throttle: 1, handbrake: false }, circuit);
        const [noseX, noseY] = [
          car.x + Math.cos(car.headingRad) * 2.2,
          car.y + Math.sin(car.headingRad) * 2.2,
        ];
        const nose = projectOnTrack(circuit.track, noseX, noseY);
        expect(Math.abs(nose.offsetM)).toBeLessThan(circuit.wallDistanceM + 0.3);
      }
    }
  });
});

describe("contact", () => {
  const other = { x: 4, y: 0, headingRad: 0, velocityX: 0, velocityY: 0 };

  test("slows the car that runs into another, and pushes it back", () => {
    const car = carAt({ x: 0.2, y: 0, headingRad: 0 });
    car.velocityX = 10;
    expect(pushApart(car, other)).toBeGreaterThan(5);
    expect(car.velocityX).toBeLessThan(5);
    expect(car.x).toBeLessThan(0.2);
  });

  test("does nothing at a distance", () => {
    const car = carAt({ x: -6, y: 0, headingRad: 0 });
    expect(pushApart(car, other)).toBe(0);
    expect(car.x).toBe(-6);
  });

  test("separates cars that lie exactly on each other", () => {
    const car = carAt({ x: 4, y: 0, headingRad: 0 });
    for (let step = 0; step < 60; step++) pushApart(car, other);
    expect(Math.hypot(car.x - other.x, car.y - other.y)).toBeGreaterThan(1.8);
    expect(Number.isFinite(car.x + car.y + car.yawRateRadPerS)).toBe(true);
  });

  test("does not happen between neighbours on the grid", () => {
    for (let slot = 0; slot < 15; slot++) {
      const [a, b] = [gridSlot(circuit.track, slot), gridSlot(circuit.track, slot + 1)];
      expect(pushApart(carAt(a), { ...b, velocityX: 0, velocityY: 0 })).toBe(0);
      expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(5);
    }
  });
});
