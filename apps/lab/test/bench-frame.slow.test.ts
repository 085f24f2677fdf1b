import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

test("`pnpm bench frame --quick` counts each byte that a racer receives once, and the same ones in each run", () => {
  const run = (): readonly Record<string, number | string>[] => {
    const options = ["tools/bench.mjs", "frame", "--quick", "--json"];
    const { stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: "utf8" });
    const result = JSON.parse(stdout.trim().split("\n").at(-1)!) as {
      readonly quick: boolean;
      readonly rows: readonly Record<string, number | string>[];
    };
    expect(result.quick).toBe(true);
    return result.rows;
  };
  const rows = run();
  const bytesOf = (name: string): number => Number(rows.find(({ part }) => part === name)!["bytes"]);
  const parts = rows.filter(({ part }) => !String(part).startsWith("all"));
  expect(parts.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBe(bytesOf("all"));
  expect(bytesOf("all but states") + bytesOf("stateBodies") + bytesOf("references")).toBe(bytesOf("all"));
  for (const part of ["envelope", "header", "time", "pings", "stateBodies"])
    expect(bytesOf(part)).toBeGreaterThan(0);
  expect(bytesOf("all") / Number(rows[0]!["states"])).toBeLessThan(20);
  // Three other cars that drive for ten seconds.
  expect(Number(rows[0]!["states"])).toBeGreaterThan(150);
  expect(run()).toEqual(rows);
}, 60_000);
