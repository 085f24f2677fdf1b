import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
/** A case behind address translation, and one whose path dies. The whole matrix takes minutes. */
const CASES = ["nat-nat", "webrtc-dies-silently"];

interface Row {
  readonly case: string;
  readonly path: string;
  readonly reliableSent: number;
  readonly lost: number;
  readonly repeated: number;
  readonly outOfOrder: number;
}

test("two browsers in networks of their own", { tag: "@slow" }, async () => {
  test.skip(process.getuid?.() !== 0, "network namespaces need root; the simulated matrix is a unit test");
  for (const name of ["chromium", "firefox"] as const) {
    test.skip(executableOf(name) === undefined, `${name} is not installed`);
  }
  const args = [path.join(ROOT, "tools/lab.mjs"), "matrix", "--quick", "--json"];
  const chosen = CASES.flatMap((name) => ["--case", name]);
  // A missed bound on time gives exit code 1. A busy machine misses some, and this test does not check them.
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...chosen], {
    timeout: 100_000,
  }).catch((error: unknown) => error as { stdout: string });
  const { rows } = JSON.parse(stdout.trim().split("\n").at(-1)!) as { rows: Row[] };
  expect(rows.map((row) => row.case)).toEqual(CASES);
  for (const row of rows) {
    expect(row.reliableSent).toBeGreaterThan(100);
    expect([row.lost, row.repeated, row.outOfOrder]).toEqual([0, 0, 0]);
  }
  const simulated = rows.some((row) => (row as { browsers?: string }).browsers === "simulated");
  if (!simulated) expect(rows[0]!.path).toMatch(/^direct/);
  expect(rows[1]!.path).toBe("relay");
});
