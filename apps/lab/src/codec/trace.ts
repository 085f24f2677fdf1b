import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

/** One car at one tick. Axes: z up; the heading turns about z. */
export interface CarState {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly quat: readonly [number, number, number, number];
  readonly heading: number;
  readonly vx: number;
  readonly vy: number;
  readonly vz: number;
  readonly steer: number;
  readonly throttle: number;
  readonly flags: number;
}

/** Eight cars, by tick. */
export interface Trace {
  readonly name: string;
  readonly hz: number;
  readonly frames: readonly (readonly CarState[])[];
}

interface TraceMeta {
  readonly hz: number;
  readonly cars?: number;
  readonly entities: number;
  readonly floats_per_frame: number;
}

export const CARS = 8;
const HZ = 30;
const COLUMNS = 14;

/**
 * Returns the names of the traces in a folder. A trace is a NAME.json with a NAME.f32.gz. Throws if there is
 * none.
 */
export function traceNames(directory: string): string[] {
  const files = new Set(existsSync(directory) ? readdirSync(directory) : []);
  const names = [...files].flatMap((file) => /^(.+)\.f32\.gz$/.exec(file)?.[1] ?? []);
  const found = names.filter((name) => files.has(`${name}.json`)).toSorted();
  if (found.length > 0) return found;
  throw new Error(
    existsSync(directory)
      ? `${directory}: no trace in it, which is a NAME.json beside a NAME.f32.gz`
      : `${directory}: no such folder`,
  );
}

/**
 * Reads a recorded trace at 30 Hz. If it has fewer than eight cars, the same cars drive again, shifted in
 * time.
 */
export function readTrace(directory: string, name: string, maxSeconds: number): Trace {
  const meta = JSON.parse(readFileSync(path.join(directory, `${name}.json`), "utf8")) as TraceMeta;
  const bytes = gunzipSync(readFileSync(path.join(directory, `${name}.f32.gz`)));
  const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const recorded = meta.cars ?? meta.entities;
  const length = Math.floor(floats.length / meta.floats_per_frame);
  const stride = Math.max(1, Math.round(meta.hz / HZ));
  const ticks = Math.min(Math.ceil(length / stride), maxSeconds * HZ);
  const shift = Math.floor(length / (Math.ceil(CARS / recorded) + 1));
  const cars = Array.from({ length: CARS }, (_, car) => {
    const states: CarState[] = [];
    for (let tick = 0; tick < ticks; tick++) {
      const frame = (tick * stride + Math.floor(car / recorded) * shift) % length;
      const at = frame * meta.floats_per_frame + 1 + COLUMNS * (car % recorded);
      states.push(carAt(floats, at, states[tick - 1]));
    }
    return states;
  });
  return { name, hz: HZ, frames: Array.from({ length: ticks }, (_, tick) => cars.map((car) => car[tick]!)) };
}

const ABSENT: CarState = {
  x: 0,
  y: 0,
  z: 0,
  quat: [0, 0, 0, 1],
  heading: 0,
  vx: 0,
  vy: 0,
  vz: 0,
  steer: 0,
  throttle: 0,
  flags: 0,
};

/**
 * Reads one car. An absent car stays at its last position. Recordings have no inputs, so these are derived
 * from the movement.
 */
function carAt(floats: Float32Array, at: number, before: CarState | undefined): CarState {
  if (floats[at] === 0) return { ...(before ?? ABSENT), vx: 0, vy: 0, vz: 0 };
  const [x, y, z, qx, qy, qz, qw, vx, vy, vz, , , turnRate] = floats.subarray(
    at + 1,
    at + COLUMNS,
  ) as unknown as number[];
  const length = Math.hypot(qx!, qy!, qz!, qw!) || 1;
  const quat = [qx! / length, qy! / length, qz! / length, qw! / length] as const;
  const speed = Math.hypot(vx!, vy!);
  const faster = before ? Math.sign(Math.round(((speed - Math.hypot(before.vx, before.vy)) * HZ) / 4)) : 0;
  return {
    x: x!,
    y: y!,
    z: z!,
    quat,
    heading: headingOf(quat),
    vx: vx!,
    vy: vy!,
    vz: vz!,
    steer: Math.min(Math.max(Math.round(((turnRate! / 2) * 127) / 16) * 16, -127), 127),
    throttle: faster * 127,
    flags: (speed > 22 ? 4 : 0) | (z! > 1 ? 2 : 0),
  };
}

export function headingOf([x, y, z, w]: readonly [number, number, number, number]): number {
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}
