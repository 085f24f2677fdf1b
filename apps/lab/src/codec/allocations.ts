import type { CodecSystem } from "./system.js";
import type { Trace } from "./trace.js";

const WARM_TICKS = 900;

/** Bytes that encoding a tick for all clients allocates in steady state; needs `node --expose-gc`. */
export function allocatedBytesPerTick(trace: Trace, system: CodecSystem): number | undefined {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect || trace.frames.length < 2 * WARM_TICKS) return undefined;
  system.join(trace.frames[0]!);
  system.takePackets();
  let tick = 1;
  for (; tick < WARM_TICKS; tick++) system.encode(trace.frames[tick]!, tick);
  system.takePackets();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (; tick < 2 * WARM_TICKS; tick++) system.encode(trace.frames[tick]!, tick);
  return Math.max(0, process.memoryUsage().heapUsed - before) / WARM_TICKS;
}
