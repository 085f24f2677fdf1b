import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endChild, runChild, startChild } from "../children.mjs";

const CHILDREN = path.resolve(import.meta.dirname, "../children.mjs");

/** These tests run with the lowest priority. */
const LIMIT_MS = 120_000;

let folder = "";
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), "paceline-children-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that starts two more, of which one leads a session as browsers do, and then goes on as `rest` says. */
const step = (rest: string): string => `
  const { spawn } = require("node:child_process");
  const waiting = ["-e", "setTimeout(() => undefined, 120_000)"];
  const pids = [true, false].map((detached) => spawn(process.execPath, waiting, { detached, stdio: "ignore" }).pid);
  require("node:fs").writeFileSync("pids", [process.pid, ...pids].join(" "));
  ${rest}`;
const HANGS = step("setTimeout(() => undefined, 120_000);");

const pidsFile = (): string => path.join(folder, "pids");

/** The step and what it started. */
async function startedPids(): Promise<number[]> {
  await vi.waitFor(() => expect(readFileSync(pidsFile(), "utf8").split(" ")).toHaveLength(3), LIMIT_MS);
  return readFileSync(pidsFile(), "utf8").split(" ").map(Number);
}

/** True until the process has ended, whether or not somebody has asked for its exit code. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const state = existsSync("/proc/self/stat") ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
    return !/\) [XZ] /.test(state);
  } catch {
    return false;
  }
}

async function expectNothingLeft(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter((pid) => isRunning(pid))).toEqual([]), LIMIT_MS);
}

describe.runIf(process.platform === "linux")("nothing that a step started is left", () => {
  it("when the step fails", async () => {
    const { code } = await runChild(process.execPath, ["-e", step("process.exitCode = 3; process.exit();")], {
      cwd: folder,
    });
    expect(code).toBe(3);
    await expectNothingLeft(await startedPids());
  });

  it("when the step is killed in its middle", async () => {
    const running = runChild(process.execPath, ["-e", HANGS], { cwd: folder, stdio: "ignore" });
    const pids = await startedPids();
    expect(pids.filter((pid) => isRunning(pid))).toEqual(pids);
    process.kill(pids[0]!, "SIGKILL");
    expect((await running).code).not.toBe(0);
    await expectNothingLeft(pids);
  });

  it("when the step reaches its limit", async () => {
    const { code, output } = await runChild(process.execPath, ["-e", HANGS], {
      cwd: folder,
      stdio: "ignore",
      timeoutMs: 3000,
    });
    expect([code, output]).toEqual([1, expect.stringContaining("Ended after its limit")]);
    await expectNothingLeft(existsSync(pidsFile()) ? await startedPids() : []);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "when the run gets %s in the middle of the step",
    async (signal) => {
      const run = `
      import { endChildrenOnSignals, runChild } from ${JSON.stringify(CHILDREN)};
      endChildrenOnSignals(130);
      await runChild(process.execPath, ["-e", ${JSON.stringify(HANGS)}], { cwd: ${JSON.stringify(folder)} });`;
      const child = startChild(process.execPath, ["--input-type=module", "-e", run]);
      const pids = await startedPids();
      process.kill(child.pid!, signal);
      await expectNothingLeft([child.pid!, ...pids]);
      await vi.waitFor(() => expect(child.exitCode).toBe(130), LIMIT_MS);
      await endChild(child);
    },
  );
});
