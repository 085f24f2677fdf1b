import { Session, type HeapProfiler } from "node:inspector/promises";
import type { CodecSystem } from "./system.js";
import type { Trace } from "./trace.js";

const WARM_TICKS = 9000;
const COUNTED_TICKS = 2000;
const SAMPLING_BYTES = 64;

/**
 * Bytes that encoding a tick for all clients allocates in steady state, by the engine's own sampling. What client 0
 * gets is not copied meanwhile.
 */
export async function allocatedBytesPerTick(trace: Trace, system: CodecSystem): Promise<number> {
  system.stopCopying?.();
  system.join(trace.frames[0]!);
  let tick = 1;
  const encodeUntil = (end: number) => {
    for (; tick < end; tick++) system.encode(trace.frames[tick % trace.frames.length]!, tick);
  };
  encodeUntil(WARM_TICKS);
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  encodeUntil(WARM_TICKS + COUNTED_TICKS);
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  return allocatedBytes(profile.head) / COUNTED_TICKS;
}

/** Everything but what the profiler itself takes. */
function allocatedBytes({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  const own = callFrame.url.startsWith("node:") ? 0 : selfSize;
  return children.reduce((sum, child) => sum + allocatedBytes(child), own);
}
