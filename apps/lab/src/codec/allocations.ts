import { Session } from "node:inspector/promises";
import type { CodecSystem } from "./system.js";
import type { CarState, Trace } from "./trace.js";

/** Ticks in which the engine compiles, which allocates as well. */
const WARM_TICKS = 9000;
const COUNTED_TICKS = 1000;
/** Samples every object. */
const SAMPLING_BYTES = 1;

/** The used part of the profiler's answer; older type declarations lack the samples. */
interface Stopped {
  readonly profile: { readonly head: ProfileNode; readonly samples: readonly { readonly nodeId: number }[] };
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly url: string };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

interface Allocations {
  readonly allocationsPerTick: number;
  readonly allocatedBytesPerTick: number;
}

/**
 * A car of one shape in which every number has a fraction. With several shapes, each number that is read
 * would be a new
 * object, and would count against the codecs.
 */
class PlainCar implements CarState {
  x = 0.5;
  y = 0.5;
  z = 0.5;
  quat: [number, number, number, number] = [0.5, 0.5, 0.5, 0.5];
  heading = 0.5;
  vx = 0.5;
  vy = 0.5;
  vz = 0.5;
  steer = 0;
  throttle = 0;
  flags = 0;
}

export function evenTrace(trace: Trace): Trace {
  const plain = (car: CarState): CarState => Object.assign(new PlainCar(), car);
  return { ...trace, frames: trace.frames.map((frame) => frame.map(plain)) };
}

/**
 * Counts the allocations of encoding a tick for all clients in steady state, by the engine's profiler. Client
 * 0's packet is
 * not copied.
 */
export function encodeAllocations(trace: Trace, system: CodecSystem): Promise<Allocations> {
  system.stopCopying?.();
  system.join(trace.frames[0]!);
  let tick = 1;
  return countAllocations((ticks) => {
    for (const end = tick + ticks; tick < end; tick++)
      system.encode(trace.frames[tick % trace.frames.length]!, tick);
  });
}

/** Counts the allocations of client 0 when it decodes a tick. The packets are made in advance. */
export function decodeAllocations(trace: Trace, system: CodecSystem): Promise<Allocations> {
  system.join(trace.frames[0]!);
  const first = system.takePackets();
  if (system.system === "paceline") system.decode(first, 0);
  const packets: (readonly Uint8Array[])[] = [];
  for (let tick = 1; tick <= WARM_TICKS + COUNTED_TICKS; tick++) {
    system.encode(trace.frames[tick % trace.frames.length]!, tick);
    packets.push(system.takePackets());
  }
  let tick = 1;
  return countAllocations((ticks) => {
    for (const end = tick + ticks; tick < end; tick++) {
      const taken = packets[tick - 1]!;
      if (taken.length > 0) system.decode(taken, tick);
    }
  });
}

async function countAllocations(run: (ticks: number) => void): Promise<Allocations> {
  // Runs in several turns: the engine finishes compiling between them.
  const turns = 9;
  for (let turn = 0; turn < turns; turn++) {
    run(WARM_TICKS / turns);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  run(COUNTED_TICKS);
  const { profile } = (await session.post("HeapProfiler.stopSampling")) as unknown as Stopped;
  session.disconnect();
  const own = new Set<number>();
  const bytes = collect(profile.head, own);
  const count = profile.samples.filter(({ nodeId }) => own.has(nodeId)).length;
  return { allocationsPerTick: count / COUNTED_TICKS, allocatedBytesPerTick: bytes / COUNTED_TICKS };
}

/** Returns the allocated bytes without those of Node's own modules. */
function collect(node: ProfileNode, own: Set<number>): number {
  const isOwn = !node.callFrame.url.startsWith("node:");
  if (isOwn) own.add(node.id);
  return node.children.reduce((sum, child) => sum + collect(child, own), isOwn ? node.selfSize : 0);
}
