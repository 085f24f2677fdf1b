import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { trackOf, type Sample } from "./track-builder.js";
import type { Trace, Track } from "./trace.js";

interface TraceHead {
  readonly id: string;
  readonly hz: number;
  readonly entities: number;
  readonly frames: number;
  readonly entity_kinds?: readonly string[];
  readonly floats_per_frame?: number;
  readonly segments?: readonly (readonly [number, number])[];
  readonly teleports?: readonly (readonly [frame: number, entity: number])[];
}

/** Floats of an entity in a frame: present, position, quaternion, velocity, angular velocity. */
const ENTITY_FLOATS = 14;
/** Floats of a row of a trace of walkers: frame, entity, x, y, vx, vy. */
const ROW_FLOATS = 6;
/** Limit of the played walkers: traces have hundreds, but more of them do not change the figures. */
const MAX_WALKERS = 40;
/** Horizontal share of a car's forward direction below which its heading is undefined. */
const STEEP = 0.3;

/** Reads every trace of cars and walkers in a folder and in its folder `ped`. */
export function recordedTraces(folder: string): Trace[] {
  const files = [folder, path.join(folder, "ped")].flatMap((at) =>
    readdirSync(at, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
      .map((entry) => path.join(at, entry.name)),
  );
  return files.sort().map((file) => readTrace(file));
}

function readTrace(file: string): Trace {
  const head = JSON.parse(readFileSync(file, "utf8")) as TraceHead;
  const isFrames = head.floats_per_frame !== undefined;
  const floats = floatsOf(file.replace(/\.json$/, isFrames ? ".f32.gz" : ".rows.f32.gz"));
  const tracks = isFrames ? carsOf(head, floats) : walkersOf(head, floats);
  return { id: head.id, kind: isFrames ? "cars" : "walkers", isRecorded: true, tracks };
}

function floatsOf(file: string): Float32Array {
  const bytes = gunzipSync(readFileSync(file));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

function carsOf(head: TraceHead, floats: Float32Array): Track[] {
  const cars = (head.entity_kinds ?? []).flatMap((kind, entity) => (kind === "car" ? [entity] : []));
  const segments = head.segments ?? [[0, head.frames] as const];
  return cars
    .map((car) =>
      trackOf(
        segments.flatMap((segment) => carRuns(head, floats, car, segment)),
        head.hz,
      ),
    )
    .filter(({ pieces }) => pieces.length > 0);
}

/** Returns the uninterrupted runs of one car within a segment. A run ends if the car disappears or jumps. */
function carRuns(
  head: TraceHead,
  floats: Float32Array,
  car: number,
  [start, end]: readonly [number, number],
): Sample[][] {
  const jumps = new Set((head.teleports ?? []).flatMap(([frame, entity]) => (entity === car ? [frame] : [])));
  const runs: Sample[][] = [[]];
  for (let frame = start; frame < end; frame++) {
    const at = frame * head.floats_per_frame! + 1 + ENTITY_FLOATS * car;
    const isThere = floats[at]! > 0;
    if (!isThere || jumps.has(frame)) runs.push([]);
    const run = runs.at(-1)!;
    if (isThere) run.push(carSample(floats, at, run.at(-1)));
  }
  return runs;
}

function carSample(floats: Float32Array, at: number, before: Sample | undefined): Sample {
  const [x, y, z, w] = [floats[at + 4]!, floats[at + 5]!, floats[at + 6]!, floats[at + 7]!];
  const noseX = 1 - 2 * (y * y + z * z);
  const noseY = 2 * (x * y + z * w);
  const isSteep = Math.hypot(noseX, noseY) < STEEP;
  return {
    position: [floats[at + 1]!, floats[at + 2]!, floats[at + 3]!],
    velocity: [floats[at + 8]!, floats[at + 9]!, floats[at + 10]!],
    heading: isSteep && before ? before.heading : Math.atan2(noseY, noseX),
  };
}

function walkersOf(head: TraceHead, floats: Float32Array): Track[] {
  const byEntity = new Map<number, { frame: number; sample: Sample }[]>();
  for (let at = 0; at < floats.length; at += ROW_FLOATS) {
    const [frame, entity, x, y, vx, vy] = floats.subarray(at, at + ROW_FLOATS) as unknown as number[];
    const steps = byEntity.get(entity!) ?? [];
    byEntity.set(entity!, steps);
    const isWalking = Math.hypot(vx!, vy!) > 0.2;
    const heading = isWalking ? Math.atan2(vy!, vx!) : (steps.at(-1)?.sample.heading ?? 0);
    steps.push({ frame: frame!, sample: { position: [x!, y!, 0], velocity: [vx!, vy!, 0], heading } });
  }
  const walkers = [...byEntity.values()];
  const every = Math.max(1, Math.floor(walkers.length / MAX_WALKERS));
  return walkers
    .filter((_, index) => index % every === 0)
    .slice(0, MAX_WALKERS)
    .map((steps) => trackOf(withoutGaps(steps), head.hz))
    .filter(({ pieces }) => pieces.length > 0);
}

function withoutGaps(steps: readonly { frame: number; sample: Sample }[]): Sample[][] {
  const runs: Sample[][] = [[]];
  let last: number | undefined;
  for (const { frame, sample } of steps) {
    if (last !== undefined && frame !== last + 1) runs.push([]);
    runs.at(-1)!.push(sample);
    last = frame;
  }
  return runs;
}
