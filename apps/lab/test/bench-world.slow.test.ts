import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

test(
  "`pnpm bench world --quick` measures a whole room over memory links and sockets",
  { timeout: 120_000 },
  () => {
    const options = [
      "tools/bench.mjs",
      "world",
      "--quick",
      "--json",
      "--seconds",
      "1",
      "--only",
      "memory,sockets",
    ];
    const { stdout } = spawnSync(process.execPath, options, { cwd: ROOT, encoding: "utf8" });
    const result = JSON.parse(stdout.trim().split("\n").at(-1)!) as {
      readonly quick: boolean;
      readonly rows: readonly Record<string, number | string>[];
    };
    expect(result.quick).toBe(true);
    const [uniform, hotSpot, crowd] = result.rows;
    const memory = { scheme: "memory", entities: 100, receivers: 100, hz: 10 };
    expect(uniform).toMatchObject({ ...memory, distribution: "uniform" });
    expect(hotSpot).toMatchObject({ ...memory, distribution: "hot-spot" });
    // Whole clients have checked what they saw.
    expect(crowd).toMatchObject({
      scheme: "sockets",
      distribution: "all-in-view",
      receivers: 25,
      hz: 20,
      inView: 24,
    });
    for (const row of result.rows) {
      expect(Number(row["tickMsP50"])).toBeGreaterThan(0);
      expect(Number(row["tickMsP99"])).toBeGreaterThanOrEqual(Number(row["tickMsP50"]));
      expect(Number(row["rssMB"])).toBeGreaterThan(0);
    }
    // The bytes of the others that are in view, at the rate of their ring, and no more than whole positions.
    const bytesPerState = Number(uniform!["bytesPerReceiverPerSecond"]) / (Number(uniform!["inView"]) * 10);
    expect(bytesPerState).toBeGreaterThan(2);
    expect(bytesPerState).toBeLessThan(10);
    expect(Number(hotSpot!["bytesPerReceiverPerSecond"])).toBeGreaterThan(
      Number(uniform!["bytesPerReceiverPerSecond"]),
    );
  },
);
