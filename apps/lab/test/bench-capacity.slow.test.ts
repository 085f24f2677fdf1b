import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

test("`pnpm bench capacity` has whole clients check the states of a real room", { timeout: 120_000 }, () => {
  const options = ["--quick", "--json", "--anyway", "--only", "ws,paceline", "--shapes", "one-room"];
  const { stdout } = spawnSync(
    process.execPath,
    ["tools/bench.mjs", "capacity", ...options, "--players", "16"],
    {
      cwd: ROOT,
      encoding: "utf8",
    },
  );
  const result = JSON.parse(stdout.trim().split("\n").at(-1)!) as {
    readonly quick: boolean;
    readonly rows: readonly Record<string, number | string>[];
  };
  expect(result.quick).toBe(true);
  expect(result.rows.map(({ system }) => system)).toEqual(["ws", "paceline"]);
  for (const row of result.rows) {
    expect(row).toMatchObject({ shape: "one-room", hz: 20, probes: 1, wrong: 0 });
    const keys = ["ageMsP50", "ageMsP99", "serverCpuCores", "statesPerSecond", "bytesPerPlayerPerSecond"];
    expect(keys.filter((key) => !(Number(row[key]) > 0))).toEqual([]);
    expect(row["limit"]).toEqual(expect.any(String));
    expect(row["cores"]).toContain("server on");
  }
});
