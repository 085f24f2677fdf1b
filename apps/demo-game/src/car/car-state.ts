import type { TrackPose } from "../track/track.js";

/** A driver's controls, human or computer. */
export interface DriveInput {
  /** -1 full left to 1 full right. */
  steer: number;
  /** 1 is full throttle; a negative value brakes, and reverses once the car stands. */
  throttle: number;
  handbrake: boolean;
}

/**
 * State of one simulated car. `stepCar` changes it in place; the same state and inputs give the same result.
 */
export interface CarState {
  x: number;
  y: number;
  /** 0 is east; grows clockwise, as y points south. */
  headingRad: number;
  velocityX: number;
  velocityY: number;
  yawRateRadPerS: number;
  /** Position of the steering wheel, -1 to 1; it follows the input with a delay. */
  steer: number;
  throttle: number;
  handbrake: boolean;
  /** How far the tyres slide beyond their peak, 0 (gripping) to 1 (sliding sideways or locked). */
  frontSlide: number;
  rearSlide: number;
  /** Number of wheels on grass or gravel, and on kerbs: 0 to 4. */
  wheelsOff: number;
  wheelsOnKerb: number;
  /** Speed into a wall or another car during the last step, m/s. */
  impactMps: number;
}

export const idleInput: Readonly<DriveInput> = { steer: 0, throttle: 0, handbrake: false };

export function carAt(pose: TrackPose): CarState {
  return {
    x: pose.x,
    y: pose.y,
    headingRad: pose.headingRad,
    velocityX: 0,
    velocityY: 0,
    yawRateRadPerS: 0,
    steer: 0,
    throttle: 0,
    handbrake: false,
    frontSlide: 0,
    rearSlide: 0,
    wheelsOff: 0,
    wheelsOnKerb: 0,
    impactMps: 0,
  };
}

export function speedOf(car: Pick<CarState, "velocityX" | "velocityY">): number {
  return Math.hypot(car.velocityX, car.velocityY);
}

/** Speed along the car's nose, negative when rolling backwards. */
export function forwardSpeedOf(car: CarState): number {
  return car.velocityX * Math.cos(car.headingRad) + car.velocityY * Math.sin(car.headingRad);
}
