import type { CodecSystem } from "./system.js";
import type { Trace } from "./trace.js";

const WARM_TICKS = 6000;
const COUNTED_TICKS = 2000;

/**
 * Bytes that encoding a tick for all clients allocates in steady state; needs `node --expose-gc`. What client 0 gets is
 * not copied meanwhile.
 */
export function allocatedBytesPerTick(trace: Trace, system: CodecSystem): number | undefined {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) return undefined;
  system.stopCopying?.();
  system.join(trace.frames[0]!);
  let tick = 1;
  for (; tick < WARM_TICKS; tick++) system.encode(trace.frames[tick % trace.frames.length]!, tick);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (; tick < WARM_TICKS + COUNTED_TICKS; tick++)
    system.encode(trace.frames[tick % trace.frames.length]!, tick);
  return Math.max(0, process.memoryUsage().heapUsed - before) / COUNTED_TICKS;
}
