import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

test("`pnpm bench relay --quick` measures a relay beside a naive one, and finds every message as it was sent", () => {
  const { stdout } = spawnSync(process.execPath, ["tools/bench.mjs", "relay", "--quick", "--json"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const result = JSON.parse(stdout.trim().split("\n").at(-1)!) as {
    readonly quick: boolean;
    readonly rows: readonly Record<string, number | string>[];
  };
  expect(result.quick).toBe(true);
  expect(result.rows.map(({ system }) => system)).toEqual(["ws-naive", "paceline-wire"]);
  for (const row of result.rows) {
    expect(row).toMatchObject({ senders: 16, damaged: 0, lost: 0, reordered: 0 });
    expect(row["deliveredShare"]).toBeGreaterThan(0.5);
    expect(row["cpuUsPerDelivered"]).toBeGreaterThan(0);
    expect(row["latencyMsP50"]).toBeGreaterThan(0);
  }
  // A message with the frame's header; Paceline adds its envelope and packet.
  expect(result.rows.map(({ bytesPerDelivered }) => Math.round(Number(bytesPerDelivered)))).toEqual([
    102, 107,
  ]);
}, 60_000);
