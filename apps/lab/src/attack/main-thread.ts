import { readFileSync } from "node:fs";

/** Time for which a process's main thread has run, and for which it was ready and had no CPU, ms. */
export interface MainThread {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** Returns the times since the start of a process. Both are 0 if the system does not count them. */
export function mainThreadOf(pid: number | "self"): MainThread {
  try {
    const [ranNs, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return { ranMs: Number(ranNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}
