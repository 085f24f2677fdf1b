import type { PassFigures, StayFigures } from "paceline/bots";

const MAX_TICK_MS = 10;
const MAX_JOIN_MS = 250;
/**
 * Largest growth of memory in the second half of the sessions, as a share. The server has allocated all that
 * it keeps by then, so more growth is a leak.
 */
const MAX_GROWTH = 0.05;

/** Returns one sentence for each bound that the stay missed. */
export function faultsOfStay({ joinMs, failures, messages, drops, server }: StayFigures): string[] {
  const faults: string[] = [];
  if (!server) faults.push("the server's ticks were not measured: give --metrics");
  else if (server.tickMs.p99 > MAX_TICK_MS)
    faults.push(`ticks p99 ${server.tickMs.p99} ms, limit ${MAX_TICK_MS}`);
  if (!(joinMs.p99 <= MAX_JOIN_MS)) faults.push(`joins p99 ${joinMs.p99} ms, limit ${MAX_JOIN_MS}`);
  if (Object.keys(failures).length > 0) faults.push(`joins failed: ${JSON.stringify(failures)}`);
  if (messages.lost > 0) faults.push(`${messages.lost} messages lost`);
  if (drops > 0) faults.push(`${drops} links lost`);
  return faults;
}

/** Returns one sentence for each bound that was missed while the bots joined and left. */
export function faultsOfPass({ failures, memory }: PassFigures): string[] {
  const faults: string[] = [];
  if (Object.keys(failures).length > 0) faults.push(`joins failed: ${JSON.stringify(failures)}`);
  if (memory.length < 4) return [...faults, "the server's memory was not measured: give --metrics"];
  const half = memory.length >> 1;
  for (const of of ["heapMb", "rssMb"] as const) {
    // The lowest of three readings: the others include garbage that is not collected yet.
    const early = Math.min(...memory.slice(half - 2, half + 1).map((each) => each[of]));
    const late = Math.min(...memory.slice(-3).map((each) => each[of]));
    if (late > early * (1 + MAX_GROWTH))
      faults.push(`${of} grew from ${early} to ${late} in the second half`);
  }
  return faults;
}
