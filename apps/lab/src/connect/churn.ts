import { ServerProcess, SwarmProcess } from "./bench-process.js";
import { pause } from "./measure.js";
import type { SystemName } from "./system.js";

/** Memory that a server still holds after many clients have come and gone. */
export interface ChurnRow {
  readonly system: string;
  readonly connects: number;
  readonly failures: number;
  /** Heap at the end, after all clients have left. */
  readonly heapMB: number;
  readonly rssMB: number;
  /** Growth in the second half of the run, by a straight line through its samples. */
  readonly heapGrowthMB: number;
  readonly rssGrowthMB: number;
  readonly connectsPerSecond: number;
}

const SAMPLES = 20;
/** Time after the last client for connections that close late. */
const SETTLE_MS = 2500;

export async function churnRow(
  system: SystemName & `paceline${string}`,
  connects: number,
  progress: (text: string) => void,
): Promise<ChurnRow> {
  const server = await ServerProcess.start({ system });
  const swarm = await SwarmProcess.start();
  try {
    const batch = Math.ceil(connects / SAMPLES);
    const heapKB: number[] = [];
    const rssKB: number[] = [];
    let failures = 0;
    const startMs = performance.now();
    for (let sample = 0; sample < SAMPLES; sample++) {
      const answer = await swarm.tell({ do: "churn", system, url: server.url, clients: batch });
      failures += answer.failures;
      if (sample === SAMPLES - 1) await pause(SETTLE_MS);
      const usage = await server.usage();
      heapKB.push(usage.heapKB);
      rssKB.push(usage.rssKB);
      progress(
        `${system}: ${(sample + 1) * batch} came and went, heap ${mb(usage.heapKB)} MB, RSS ${mb(usage.rssKB)} MB`,
      );
    }
    return {
      system: `${system}, come and go`,
      connects: batch * SAMPLES - failures,
      failures,
      heapMB: heapKB.at(-1)! / 1024,
      rssMB: rssKB.at(-1)! / 1024,
      heapGrowthMB: lateGrowth(heapKB) / 1024,
      rssGrowthMB: lateGrowth(rssKB) / 1024,
      connectsPerSecond: (batch * SAMPLES) / ((performance.now() - startMs) / 1000),
    };
  } finally {
    await Promise.all([swarm.end(), server.end()]);
  }
}

function mb(kilobytes: number): string {
  return (kilobytes / 1024).toFixed(1);
}

/**
 * Returns the growth of a series over its second half, by a straight line (least squares), so that a single
 * outlier matters little. In the first half, caches and allocators reach their size.
 */
export function lateGrowth(samples: readonly number[]): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const middle = (late.length - 1) / 2;
  const level = late.reduce((sum, value) => sum + value, 0) / late.length;
  const rise = late.reduce((sum, value, index) => sum + (index - middle) * (value - level), 0);
  const run = late.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return run === 0 ? 0 : (rise / run) * (late.length - 1);
}
