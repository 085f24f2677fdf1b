import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { MarkedProcesses } from "./ending/marked-processes.js";

const ATTACK = path.resolve(import.meta.dirname, "../../../tools/attack.mjs");
const LIMIT_MS = 10_000;

describe.skipIf(process.platform !== "linux")("pnpm attack leaves no process", () => {
  let marked = new MarkedProcesses();

  afterEach(() => {
    marked.kill();
    marked = new MarkedProcesses();
  });

  /** Resolves when the only case is about to begin. */
  async function begun(): Promise<{
    readonly attack: ReturnType<typeof spawn>;
    readonly output: () => string;
  }> {
    let text = "";
    const attack = spawn(process.execPath, [ATTACK, "--quick", "--only", "health"], {
      env: marked.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve, reject) => {
      attack.stdout.on("data", (data: Buffer) => {
        text += data.toString();
        if (text.includes("recorded")) resolve();
      });
      attack.once("exit", () => reject(new Error(`the attack ended: ${text}`)));
    });
    return { attack, output: () => text };
  }

  test("after a case that throws, since the honest players answer nothing", async () => {
    const { attack, output } = await begun();
    for (const pid of marked.of("honest-process")) process.kill(pid, "SIGSTOP");
    await once(attack, "exit");
    expect(output()).toContain("honest-process is late by");
    expect(attack.exitCode).toBe(1);
    expect(await marked.left(LIMIT_MS)).toEqual([]);
  });

  test.each(["tools/attack.mjs", "run-attack.mjs"])("after %s was killed", async (program) => {
    await begun();
    expect(marked.of("relay-server/dist/main.js")).toHaveLength(1);
    for (const pid of marked.of(program)) process.kill(pid, "SIGKILL");
    expect(await marked.left(LIMIT_MS)).toEqual([]);
  });
});
