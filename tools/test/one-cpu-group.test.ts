import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runChild } from "../children.mjs";

/** Lines of a process that say to which group of CPU time it belongs. */
function cpuGroupOf(lines: string): string | undefined {
  return lines.split("\n").find((line) => /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:/.test(line));
}

function mayMove(): boolean {
  const group = "/sys/fs/cgroup/cpu/cgroup.procs";
  return process.getuid?.() === 0 && existsSync(group) && statSync(group).isFile();
}

describe("the children of these tools", () => {
  it.runIf(mayMove())("share one group of CPU time, not one per session", async () => {
    const { output } = await runChild("cat", ["/proc/self/cgroup"]);
    const own = cpuGroupOf(readFileSync("/proc/self/cgroup", "utf8"));
    expect(cpuGroupOf(output)).toBe(own);
    expect(own).not.toMatch(/:\/$/);
  });
});
