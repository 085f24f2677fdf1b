import { seededRandom } from "@paceline/testkit";
import { CARS, headingOf, type CarState, type Trace } from "./trace.js";

const HZ = 30;
const SUBSTEPS = 4;

interface Driver {
  x: number;
  y: number;
  heading: number;
  speed: number;
  steer: number;
  turn: number;
  throttle: number;
  knock: number;
}

/** Generates cars on a hilly plain that steer by keys, brake, bump and slide. Needs no recorded data. */
export function generateTrace(seed: number, seconds: number): Trace {
  const random = seededRandom(seed);
  const drivers: Driver[] = Array.from({ length: CARS }, (_, index) => ({
    x: index * 6,
    y: random.next() * 20,
    heading: random.next() * 0.5,
    speed: 10,
    steer: 0,
    turn: 0,
    throttle: 1,
    knock: 0,
  }));
  const frames: CarState[][] = [];
  for (let tick = 0; tick < seconds * HZ; tick++) {
    for (const driver of drivers) {
      if (random.bool(0.08)) driver.steer = random.int(-1, 1);
      if (random.bool(0.04)) driver.throttle = random.int(-1, 1);
      if (random.bool(0.004)) driver.knock = random.normal(0, 2);
      for (let step = 0; step < SUBSTEPS; step++) drive(driver, 1 / (HZ * SUBSTEPS));
    }
    frames.push(drivers.map(stateOf));
  }
  return { name: `generated-${seed}`, hz: HZ, frames };
}

function drive(driver: Driver, seconds: number): void {
  driver.turn += Math.min(Math.max(driver.steer - driver.turn, -3 * seconds), 3 * seconds);
  driver.speed = Math.min(
    Math.max(driver.speed + (driver.throttle * 8 - driver.speed * 0.1) * seconds, 0),
    50,
  );
  driver.knock *= 1 - 3 * seconds;
  driver.heading +=
    ((driver.turn * 1.2 * Math.min(driver.speed, 12)) / 12) * seconds + driver.knock * seconds;
  driver.x += Math.cos(driver.heading) * driver.speed * seconds;
  driver.y += Math.sin(driver.heading) * driver.speed * seconds;
}

const height = (x: number, y: number) =>
  3 * Math.sin(x / 40) * Math.cos(y / 50) + 0.6 * Math.sin((x + y) / 15);

function stateOf({ x, y, heading, speed, steer, throttle, knock }: Driver): CarState {
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  const pitch = -Math.atan2(height(x + cos, y + sin) - height(x - cos, y - sin), 2);
  const roll = Math.atan2(height(x - sin, y + cos) - height(x + sin, y - cos), 2);
  const quat = quatOf(heading, pitch, roll);
  const [vx, vy] = [cos * speed, sin * speed];
  return {
    x,
    y,
    z: height(x, y),
    quat,
    heading: headingOf(quat),
    vx,
    vy,
    vz: (height(x + vx * 0.01, y + vy * 0.01) - height(x, y)) / 0.01,
    steer: steer * 127,
    throttle: throttle * 127,
    flags: (throttle < 0 ? 1 : 0) | (Math.abs(knock) > 0.5 ? 2 : 0),
  };
}

function quatOf(yaw: number, pitch: number, roll: number): [number, number, number, number] {
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}
