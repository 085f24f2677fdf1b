import type { Random } from "@paceline/testkit";

/** Pose of a car: position and velocity in m and m/s, heading in rad. */
export interface CarPose {
  readonly x: number;
  readonly y: number;
  readonly vx: number;
  readonly vy: number;
  readonly headingRad: number;
}

const MAX_SPEED = 60;
const MAX_LATERAL = 12;

/**
 * Generates a drive on a winding road, in steps of 1/60 s. On stretches of 0.4 to 2.5 s the driver
 * accelerates (6 m/s²), brakes (10 m/s²) or coasts, and steers left, right or not at all (up to 12 m/s²
 * sideways). Controls change within a fifth of a second, as with hands and feet.
 */
export function carPath(random: Random, steps: number): CarPose[] {
  const seconds = 1 / 60;
  const path: CarPose[] = [];
  let [x, y, headingRad, speed, throttle, steering] = [0, 0, random.next() * 6, 20, 0, 0];
  let [wantedThrottle, wantedSteering, stretchEnds] = [1, 0, 0];
  for (let step = 0; step < steps; step++) {
    if (step >= stretchEnds) {
      stretchEnds = step + random.int(24, 150);
      wantedThrottle = [1, 1, 0.3, -1][random.int(0, 3)]!;
      wantedSteering = [0, 0.6, -0.6, 1, -1][random.int(0, 4)]!;
    }
    throttle += Math.max(-5, Math.min(5, (wantedThrottle - throttle) / seconds)) * seconds;
    steering += Math.max(-5, Math.min(5, (wantedSteering - steering) / seconds)) * seconds;
    const acceleration = throttle > 0 ? throttle * 6 * (1 - speed / MAX_SPEED) : throttle * 10;
    speed = Math.max(5, speed + acceleration * seconds);
    // The steering angle limits the turn of slow cars, the tyres that of fast ones.
    headingRad += steering * Math.min(1.5, MAX_LATERAL / speed) * seconds;
    const [vx, vy] = [speed * Math.cos(headingRad), speed * Math.sin(headingRad)];
    x += vx * seconds;
    y += vy * seconds;
    path.push({ x, y, vx, vy, headingRad: Math.atan2(Math.sin(headingRad), Math.cos(headingRad)) });
  }
  return path;
}
