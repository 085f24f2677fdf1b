import type { Circuit } from "../track/circuit.js";
import { projectOnTrack, type TrackPosition } from "../track/track.js";
import { surfaceAtOffset, surfaceEffects, type Surface } from "../track/surface.js";
import { clamp, wrapAngle } from "./angle.js";
import { carParameters as p, steerLockRad } from "./car-parameters.js";
import type { CarState, DriveInput } from "./car-state.js";

export const STEP_HZ = 60;
export const STEP_S = 1 / STEP_HZ;
export const STEP_MS = 1000 / STEP_HZ;

const GRAVITY_MPS2 = 9.81;
/** The tyres are stiff: in one step of 1/60 s the yaw would oscillate at low speed. */
const SUBSTEPS = 4;
const WHEELBASE_M = p.frontAxleM + p.rearAxleM;
/** The slip angles assume at least this speed: rounding would shake a standing car. */
const SLIP_SPEED_FLOOR_MPS = 2;

/** Ground under the car, constant over one step. */
interface Ground {
  frontGrip: number;
  rearGrip: number;
  resistanceMps2: number;
  resistancePerSecond: number;
}

/** Advances the car by one step of 1/60 s, or by `seconds` if a prediction ends between two steps. */
export function stepCar(car: CarState, input: DriveInput, circuit: Circuit, seconds: number = STEP_S): void {
  turnWheel(car, input, seconds);
  car.throttle = clamp(Number.isFinite(input.throttle) ? input.throttle : 0, -1, 1);
  car.handbrake = input.handbrake;
  car.impactMps = 0;
  const at = projectOnTrack(circuit.track, car.x, car.y);
  const ground = readGround(car, circuit, at);
  for (let substep = 0; substep < SUBSTEPS; substep++) integrate(car, ground, seconds / SUBSTEPS);
  hitWall(car, circuit);
}

function turnWheel(car: CarState, input: DriveInput, seconds: number): void {
  const wanted = clamp(Number.isFinite(input.steer) ? input.steer : 0, -1, 1);
  const returning = Math.abs(wanted) < Math.abs(car.steer) || wanted * car.steer < 0;
  const fast = Math.min(1, Math.hypot(car.velocityX, car.velocityY) / 40);
  const turning = p.steerPerSecond + (p.steerPerSecondFast - p.steerPerSecond) * fast;
  const reach = (returning ? p.steerReturnPerSecond : turning) * seconds;
  car.steer = clamp(wanted, car.steer - reach, car.steer + reach);
}

function readGround(car: CarState, circuit: Circuit, at: TrackPosition): Ground {
  const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
  const ground: Ground = { frontGrip: 0, rearGrip: 0, resistanceMps2: 0, resistancePerSecond: 0 };
  car.wheelsOff = 0;
  car.wheelsOnKerb = 0;
  for (const axle of [1, -1]) {
    for (const side of [-1, 1]) {
      const along = axle > 0 ? p.frontAxleM : -p.rearAxleM;
      const across = side * p.halfTrackM;
      const wheelX = along * cos - across * sin;
      const wheelY = along * sin + across * cos;
      const offsetM = at.offsetM - wheelX * at.tangentY + wheelY * at.tangentX;
      const surface: Surface = surfaceAtOffset(circuit.track, circuit.roadside, at, offsetM);
      const effect = surfaceEffects[surface];
      if (axle > 0) ground.frontGrip += effect.grip / 2;
      else ground.rearGrip += effect.grip / 2;
      ground.resistanceMps2 += effect.resistanceMps2 / 4;
      ground.resistancePerSecond += effect.resistancePerSecond / 4;
      if (surface === "kerb") car.wheelsOnKerb++;
      else if (surface !== "road") car.wheelsOff++;
    }
  }
  return ground;
}

function integrate(car: CarState, ground: Ground, dt: number): void {
  const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
  const forward = car.velocityX * cos + car.velocityY * sin;
  const sideways = -car.velocityX * sin + car.velocityY * cos;
  const speed = Math.hypot(forward, sideways);
  const rolling = Math.max(SLIP_SPEED_FLOOR_MPS, Math.abs(forward));

  const wheelRad = roadWheelAngle(car, forward, sideways);
  const frontSlip =
    Math.atan2(sideways + car.yawRateRadPerS * p.frontAxleM, rolling) - wheelRad * (forward < -0.5 ? -1 : 1);
  const rearSlip = Math.atan2(sideways - car.yawRateRadPerS * p.rearAxleM, rolling);

  const frontGrip = p.grip * GRAVITY_MPS2 * (p.rearAxleM / WHEELBASE_M) * ground.frontGrip;
  const rearGrip = p.grip * GRAVITY_MPS2 * (p.frontAxleM / WHEELBASE_M) * ground.rearGrip;
  const drive = driveForce(car, forward, rearGrip);
  const rearShare = rearSideGrip(car, Math.abs(drive) / rearGrip);
  const front = frontGrip * tyreSideForce(frontSlip, p.frontPeakSlipRad, p.tyreShape);
  const rear = rearGrip * rearShare * tyreSideForce(rearSlip, p.rearPeakSlipRad, p.tyreShape);

  const resisting = resistance(car, ground, forward, speed);
  const along = drive + resistingAlong(resisting, forward, dt) - front * Math.sin(wheelRad);
  const across = front * Math.cos(wheelRad) + rear - (ground.resistancePerSecond * sideways) / 2;
  const tyreYaw = (front * Math.cos(wheelRad) * p.frontAxleM - rear * p.rearAxleM) / p.yawInertiaM2;
  const yaw = tyreYaw + driftHelp(car, forward, sideways);

  car.velocityX += (along * cos - across * sin) * dt;
  car.velocityY += (along * sin + across * cos) * dt;
  car.yawRateRadPerS += (yaw - p.yawDampingPerSecond * car.yawRateRadPerS) * dt;
  settle(car, speed);
  car.headingRad = wrapAngle(car.headingRad + car.yawRateRadPerS * dt);
  car.x += car.velocityX * dt;
  car.y += car.velocityY * dt;
  const moving = clamp((speed - 1.5) / 4, 0, 1);
  car.frontSlide = moving * slideBeyondPeak(frontSlip, p.frontPeakSlipRad);
  const spinning = car.throttle > 0.6 && speed < 9 && speed > 0.4 ? 0.5 : 0;
  car.rearSlide = Math.max(
    moving * slideBeyondPeak(rearSlip, p.rearPeakSlipRad),
    spinning,
    lockedSlide(car, speed),
  );
}

/**
 * Angle of the front wheels: the steering, and from 4 m/s forward the caster, which turns them into a slide.
 */
function roadWheelAngle(car: CarState, forward: number, sideways: number): number {
  const steered = car.steer * steerLockRad(Math.abs(forward));
  if (forward < 4) return steered;
  const fade = Math.min(1, (forward - 4) / 6);
  const travelRad = Math.atan2(sideways, forward);
  return clamp(steered + fade * p.casterShare * travelRad, -p.steerLimitRad, p.steerLimitRad);
}

function driftHelp(car: CarState, forward: number, sideways: number): number {
  if (forward < 4) return 0;
  const help = p.driftHelpPerS2 * (car.handbrake ? p.driftHelpOnHandbrake : 1);
  return help * Math.min(1, (forward - 4) / 8) * Math.atan2(sideways, forward);
}

function driveForce(car: CarState, forward: number, rearGrip: number): number {
  if (car.throttle > 0 && forward > -0.5) {
    const engine = Math.min(p.engineLimitMps2, p.enginePowerWPerKg / Math.max(1, forward));
    return Math.min(car.throttle * engine, rearGrip * 1.3);
  }
  if (car.throttle < 0 && forward < 0.5) {
    return forward > -p.reverseTopMps ? car.throttle * p.reverseMps2 : 0;
  }
  return 0;
}

function rearSideGrip(car: CarState, driveUse: number): number {
  if (car.handbrake) return p.handbrakeSideGrip;
  const use = Math.min(1, driveUse);
  return 1 - p.driveSideGripLoss * use * use;
}

/** Deceleration from brakes, engine, air and ground, m/s2; it acts against the motion. */
function resistance(car: CarState, ground: Ground, forward: number, speed: number): number {
  const grip = (ground.frontGrip + ground.rearGrip) / 2;
  const braking =
    car.throttle * forward < 0 && Math.abs(forward) >= 0.5 ? p.brakeMps2 * Math.abs(car.throttle) * grip : 0;
  const handbrake = car.handbrake ? p.handbrakeMps2 * ground.rearGrip : 0;
  const coasting = car.throttle === 0 ? p.engineBrakingMps2 : 0;
  const underWheels = ground.resistanceMps2 + ground.resistancePerSecond * Math.abs(forward);
  return (
    Math.max(braking, handbrake) + coasting + underWheels + p.rollingMps2 + p.airDragPerM * speed * speed
  );
}

/** A resistance stops the car but never pushes it back. */
function resistingAlong(resisting: number, forward: number, dt: number): number {
  return -Math.sign(forward) * Math.min(resisting, Math.abs(forward) / dt);
}

function lockedSlide(car: CarState, speed: number): number {
  if (car.handbrake && speed > 4) return 0.8;
  return car.throttle < -0.9 && speed > 16 ? 0.35 : 0;
}

/** Brings a car to rest that hardly moves and is not driven. */
function settle(car: CarState, speed: number): void {
  if (speed > 0.25 || Math.abs(car.throttle) > 0.02) return;
  car.velocityX *= 0.8;
  car.velocityY *= 0.8;
  car.yawRateRadPerS *= 0.8;
}

/** Distances from the middle of the car to its nose and to its side. */
const HALF_LENGTH_M = 2.2;
const HALF_WIDTH_M = 0.95;
const WALL_BOUNCE = 0.25;
const WALL_FRICTION = 0.12;
/**
 * A hit turns the car towards the direction of the wall, so that it glances off: by `WALL_TURN_PER_MPS` of
 * the angle for each m/s, at most by this share.
 */
const MAX_WALL_TURN = 0.35;
const WALL_TURN_PER_MPS = 0.03;

function hitWall(car: CarState, circuit: Circuit): void {
  const at = projectOnTrack(circuit.track, car.x, car.y);
  const outward = Math.sign(at.offsetM);
  const [normalX, normalY] = [-at.tangentY * outward, at.tangentX * outward];
  const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
  const reachM =
    HALF_LENGTH_M * Math.abs(cos * normalX + sin * normalY) +
    HALF_WIDTH_M * Math.abs(cos * normalY - sin * normalX);
  const beyondM = Math.abs(at.offsetM) - (circuit.wallDistanceM - reachM);
  if (beyondM <= 0) return;
  car.x -= normalX * beyondM;
  car.y -= normalY * beyondM;
  const into = car.velocityX * normalX + car.velocityY * normalY;
  if (into <= 0) return;
  const along = car.velocityX * at.tangentX + car.velocityY * at.tangentY;
  const kept = Math.max(0, Math.abs(along) - WALL_FRICTION * into) * Math.sign(along);
  car.velocityX = at.tangentX * kept - normalX * into * WALL_BOUNCE;
  car.velocityY = at.tangentY * kept - normalY * into * WALL_BOUNCE;
  car.yawRateRadPerS *= 0.5;
  const wayRad = Math.atan2(at.tangentY * Math.sign(along), at.tangentX * Math.sign(along));
  const turnRad = wrapAngle(wayRad - car.headingRad);
  // A car that slides backwards along the wall keeps its heading.
  if (Math.abs(turnRad) < Math.PI / 2) {
    car.headingRad = wrapAngle(car.headingRad + turnRad * Math.min(MAX_WALL_TURN, into * WALL_TURN_PER_MPS));
  }
  car.impactMps = Math.max(car.impactMps, into);
}

/**
 * Side force of a tyre as a share of its grip, -1 to 1, against the slip. It rises with the slip angle to a
 * peak, then falls towards sin(shape * pi / 2). It does not depend on load.
 */
function tyreSideForce(slipRad: number, peakSlipRad: number, shape: number): number {
  const stiffness = Math.tan(Math.PI / (2 * shape)) / peakSlipRad;
  return -Math.sin(shape * Math.atan(stiffness * slipRad));
}

/** How far the slip is beyond 1.1 times the peak, 0 to 1. */
function slideBeyondPeak(slipRad: number, peakSlipRad: number): number {
  const beyond = (Math.abs(slipRad) - peakSlipRad * 1.1) / (peakSlipRad * 2.2);
  return Math.max(0, Math.min(1, beyond));
}
