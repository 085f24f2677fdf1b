import { seededRandom } from "@paceline/testkit";
import { trackOf, type Sample } from "./track-builder.js";
import { TICK_HZ, type Trace, type Track } from "./trace.js";

const CARS = 4;
const STEP_SECONDS = 1 / TICK_HZ;
/** Limits of a small racing car, m/s, m/s² and s. */
const TOP_SPEED = 32;
const GRIP = 11;
const STEER_LAG_SECONDS = 0.12;

/** Returns traces for users without recordings: cars that drive as if by hand through random bends. */
export function generatedTraces(seconds: number): Trace[] {
  const random = seededRandom(20_260);
  const tracks = Array.from({ length: CARS }, (): Track => drive(seconds, random.fork()));
  return [{ id: "generated-race", kind: "cars", isRecorded: false, tracks }];
}

/**
 * Drives a car: picks a bend and a speed, holds them for a while with a shaking hand, and sometimes hits
 * something.
 */
function drive(seconds: number, random: ReturnType<typeof seededRandom>): Track {
  const samples: Sample[] = [];
  let [x, y, heading, speed, turnRate] = [0, 0, 0, 10, 0];
  let [wantedTurn, wantedSpeed, holdUntil] = [0, 20, 0];
  let [kickX, kickY] = [0, 0];
  for (let step = 0; step < seconds * TICK_HZ; step++) {
    const now = step * STEP_SECONDS;
    if (now >= holdUntil) {
      wantedSpeed = 6 + random.next() * (TOP_SPEED - 6);
      const limit = GRIP / Math.max(speed, 6);
      wantedTurn = random.bool(0.4) ? 0 : (random.next() * 2 - 1) * Math.min(1.6, limit);
      holdUntil = now + 0.4 + random.next() * 1.8;
    }
    if (random.bool(STEP_SECONDS / 12)) {
      [kickX, kickY] = [random.normal(0, 4), random.normal(0, 4)];
    }
    const shaking = random.normal(0, 0.15);
    turnRate += ((wantedTurn + shaking - turnRate) * STEP_SECONDS) / STEER_LAG_SECONDS;
    const pedal = Math.max(-9, Math.min(6, (wantedSpeed - speed) * 2));
    speed = Math.max(0, speed + pedal * STEP_SECONDS);
    heading += turnRate * STEP_SECONDS;
    kickX *= 0.96;
    kickY *= 0.96;
    const [vx, vy] = [Math.cos(heading) * speed + kickX, Math.sin(heading) * speed + kickY];
    x += vx * STEP_SECONDS;
    y += vy * STEP_SECONDS;
    samples.push({ position: [x, y, 0], velocity: [vx, vy, 0], heading });
  }
  return trackOf([samples], TICK_HZ);
}
