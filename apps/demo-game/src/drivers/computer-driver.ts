import type { Circuit } from "../track/circuit.js";
import { circuitAt, circuits } from "../track/circuits.js";
import { distanceDelta, projectOnTrack, sampleIndexAt, type TrackPosition } from "../track/track.js";
import { clamp, wrapAngle } from "../car/angle.js";
import { steerLockRad } from "../car/car-parameters.js";
import { forwardSpeedOf, speedOf, type CarState, type DriveInput } from "../car/car-state.js";
import type { OtherCar } from "../car/contact.js";
import { STEP_S } from "../car/step-car.js";
import { planRace, type RacePlan, type Skill } from "./racecraft.js";

/** A driver's controls for one step; `reset` asks to be put back on the track. */
export interface DriverDecision extends DriveInput {
  reset: boolean;
}

const SEES_AHEAD_M = 32;
const CAR_LANE_M = 2.5;
const STUCK_SPEED_MPS = 1.5;
const STUCK_AFTER_S = 1.6;
const REVERSE_FOR_S = 1.3;
const GIVE_UP_AFTER_S = 7;

interface Traffic {
  /** How far to shift the line to the right, m. */
  shiftM: number;
  /** Highest safe speed behind the car ahead; Infinity if none requires braking. */
  speedLimitMps: number;
}

/**
 * Drives by what a player sees: its own car, the track, and the other cars as shown. Follows the racing line
 * by pure pursuit, passes slower cars on the side with more room, and frees itself when stuck.
 */
export class ComputerDriver {
  #circuit = circuits[0]!;
  #plan: RacePlan;
  readonly #plans: ReadonlyMap<Circuit, RacePlan>;
  readonly #skill: Skill;
  #shiftM = 0;
  #stuckS = 0;
  #troubleS = 0;
  #reverseS = 0;
  #goingS = 0;

  /** Plans the race on every loaded circuit. */
  constructor(skill: Skill) {
    this.#skill = skill;
    this.#plans = new Map(circuits.map((circuit) => [circuit, planRace(circuit, skill)]));
    this.#plan = this.#plans.get(this.#circuit)!;
  }

  /** @param pace below 1 drives more slowly, as after the flag */
  decide(car: CarState, others: readonly OtherCar[], pace = 1): DriverDecision {
    this.#goingS += STEP_S;
    this.#circuit = circuitAt(car);
    this.#plan = this.#plans.get(this.#circuit) ?? this.#plan;
    const at = projectOnTrack(this.#circuit.track, car.x, car.y);
    const traffic = this.#lookAhead(car, at, others);
    const settling = 1 - Math.exp(-STEP_S * 3);
    this.#shiftM += (traffic.shiftM - this.#shiftM) * settling;
    if (this.#goingS < this.#skill.reactionS)
      return { steer: 0, throttle: 0, handbrake: false, reset: false };
    return this.#freeItself(car) ?? this.#follow(car, at, Math.min(traffic.speedLimitMps, 60), pace);
  }

  /** Call before a start: forgets the last race, and makes the driver wait for its reaction time again. */
  rest(): void {
    this.#goingS = 0;
    this.#stuckS = 0;
    this.#troubleS = 0;
    this.#reverseS = 0;
    this.#shiftM = 0;
  }

  #follow(car: CarState, at: TrackPosition, speedLimitMps: number, pace: number): DriverDecision {
    const { track } = this.#circuit;
    const speed = Math.max(0, forwardSpeedOf(car));
    const aimM = 5 + speed * 0.34;
    const index = sampleIndexAt(track, at.distanceM + aimM);
    const room = (track.halfWidthM[index] as number) - 1.3;
    const offset = clamp(
      (this.#plan.line.offsetM[index] as number) + this.#skill.lineOffsetM + this.#shiftM,
      -room,
      room,
    );
    const targetX = (track.x[index] as number) - (track.tangentY[index] as number) * offset;
    const targetY = (track.y[index] as number) + (track.tangentX[index] as number) * offset;
    const bearing = wrapAngle(Math.atan2(targetY - car.y, targetX - car.x) - car.headingRad);
    const distance = Math.hypot(targetX - car.x, targetY - car.y);
    const wheelRad = Math.atan((2 * 2.5 * Math.sin(bearing)) / Math.max(3, distance));
    const understeer = 1 + (speed * speed) / 900;
    const steer = clamp((wheelRad * understeer * 1.15) / steerLockRad(speed), -1, 1);

    const here = this.#plan.speedMps[sampleIndexAt(track, at.distanceM + speed * 0.12)] as number;
    const offLine = Math.abs(at.offsetM) > at.halfWidthM ? 0.75 : 1;
    const target = Math.min(here * pace * offLine, speedLimitMps);
    return { steer, throttle: throttleFor(target - speed, car), handbrake: false, reset: false };
  }

  #lookAhead(car: CarState, at: TrackPosition, others: readonly OtherCar[]): Traffic {
    const traffic: Traffic = { shiftM: 0, speedLimitMps: Infinity };
    const speed = speedOf(car);
    let nearestM = SEES_AHEAD_M;
    for (const other of others) {
      if (Math.hypot(other.x - car.x, other.y - car.y) > SEES_AHEAD_M) continue;
      const theirs = projectOnTrack(this.#circuit.track, other.x, other.y);
      const aheadM = distanceDelta(this.#circuit.track, at.distanceM, theirs.distanceM);
      const closing = speed - Math.hypot(other.velocityX, other.velocityY);
      if (aheadM < -3 || aheadM > nearestM || (closing < -2 && aheadM > 8)) continue;
      nearestM = Math.max(0, aheadM);
      traffic.shiftM = this.#passingShift(at, theirs, aheadM);
      const lapping = Math.abs(theirs.offsetM - at.offsetM) < CAR_LANE_M * 0.85;
      const gapM = aheadM - 5.5;
      const tooClose = lapping && aheadM > 3 && closing > 0 && gapM < closing * 0.9;
      traffic.speedLimitMps = tooClose ? Math.max(3, speed - closing + Math.max(0, gapM)) : Infinity;
    }
    return traffic;
  }

  /** Returns how far to shift the line to pass `theirs` on the side with more room, m. */
  #passingShift(at: TrackPosition, theirs: TrackPosition, aheadM: number): number {
    const index = sampleIndexAt(this.#circuit.track, theirs.distanceM);
    const lineM = (this.#plan.line.offsetM[index] as number) + this.#skill.lineOffsetM;
    const room = theirs.halfWidthM - 1.3;
    // Alongside, the driver stays on its side.
    const preferred = aheadM < 6 ? at.offsetM : at.offsetM * 0.4 + lineM * 0.6;
    const right = theirs.offsetM + CAR_LANE_M;
    const left = theirs.offsetM - CAR_LANE_M;
    if (lineM >= right || lineM <= left) return 0;
    const takeRight = left < -room || (right <= room && preferred >= theirs.offsetM);
    return (takeRight ? right : left) - lineM;
  }

  #freeItself(car: CarState): DriverDecision | undefined {
    const slow = speedOf(car) < STUCK_SPEED_MPS;
    this.#troubleS =
      slow || this.#reverseS > 0 ? this.#troubleS + STEP_S : Math.max(0, this.#troubleS - STEP_S * 2);
    if (this.#troubleS > GIVE_UP_AFTER_S) {
      this.#troubleS = 0;
      this.#stuckS = 0;
      this.#reverseS = 0;
      return { steer: 0, throttle: 0, handbrake: false, reset: true };
    }
    if (this.#reverseS > 0) {
      this.#reverseS -= STEP_S;
      return { steer: this.#reverseSteer(car), throttle: -0.8, handbrake: false, reset: false };
    }
    this.#stuckS = slow ? this.#stuckS + STEP_S : 0;
    if (this.#stuckS > STUCK_AFTER_S) {
      this.#stuckS = 0;
      this.#reverseS = REVERSE_FOR_S;
    }
    return undefined;
  }

  /** In reverse, steering turns the nose the other way: aligns the car with the track. */
  #reverseSteer(car: CarState): number {
    const at = projectOnTrack(this.#circuit.track, car.x, car.y);
    return wrapAngle(at.headingRad - car.headingRad) > 0 ? -0.8 : 0.8;
  }
}

function throttleFor(missingMps: number, car: CarState): number {
  if (missingMps < -1) return clamp(missingMps * 0.28, -1, -0.15);
  if (missingMps < 0) return 0;
  const full = clamp(missingMps * 0.5 + 0.25, 0, 1);
  // Eases the throttle when the rear slides.
  return full * (1 - 0.6 * car.rearSlide);
}
