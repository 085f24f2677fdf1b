import { existsSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
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

  it.runIf(process.platform !== "win32")(
    "yield the CPU with all that they start, if they are patient",
    async () => {
      const own = "console.log(require('node:os').getPriority())";
      const nested = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(own)}], { stdio: "inherit" })`;
      const run = (isPatient: boolean): Promise<{ output: string }> =>
        runChild(process.execPath, ["-e", `${own};${nested}`], { isPatient });
      expect((await run(true)).output).toBe("19\n19\n");
      const same = os.getPriority();
      expect((await run(false)).output).toBe(`${same}\n${same}\n`);
    },
  );
});
