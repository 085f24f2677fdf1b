import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MarkedProcesses } from "./ending/marked-processes.js";

const folder = mkdtempSync(path.join(tmpdir(), "paceline-ending-"));
const RUN = path.join(folder, "run.mjs");
const LIMIT_MS = 10_000;

// The run, three processes of it, and one of each of these.
const ALL = 1 + 3 + 3;

describe.skipIf(process.platform !== "linux")("the processes that a run starts", () => {
  let marked = new MarkedProcesses();

  beforeAll(async () => {
    const entry = path.join(import.meta.dirname, "ending/run.ts");
    await build({ entryPoints: [entry], outfile: RUN, bundle: true, platform: "node", format: "esm" });
  });
  afterEach(() => {
    marked.kill();
    marked = new MarkedProcesses();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function started(ending: string): Promise<ReturnType<typeof spawn>> {
    const run = spawn(process.execPath, [RUN, ending], {
      env: marked.environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(run.stdout, "data");
    return run;
  }

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)("end with it: %s", async (signal) => {
    const run = await started("signal");
    expect(marked.pids.length).toBeGreaterThanOrEqual(ALL);
    run.kill(signal);
    expect(await marked.left(LIMIT_MS)).toEqual([]);
  });

  test.each(["exit", "exception", "rejection"])("end with it: %s", async (ending) => {
    const run = await started(ending);
    if (run.exitCode === null) await once(run, "exit");
    expect(run.exitCode).toBeGreaterThan(0);
    expect(await marked.left(LIMIT_MS)).toEqual([]);
  });
});
