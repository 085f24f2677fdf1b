/** The gates that every commit passes, in the order in which their answers are most useful. */
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { runChild } from "./children.mjs";
import { binOf, ROOT } from "./pnpm.mjs";

const NODE = process.execPath;
const VITEST_RESULT = path.join(ROOT, "artefacts/vitest.json");
const LIMIT_MS = 660_000;

/**
 * @typedef {{ name: string, commands: () => string[][], count?: () => Counts | undefined }} Gate
 * @typedef {{ passed: number, failed: number }} Counts
 */

/** @param {string} file @returns {Counts & { failures: string[] } | undefined} what vitest says, if it came so far as to say it */
export function vitestResult(file) {
  try {
    const result = JSON.parse(readFileSync(file, "utf8"));
    // A file that does not load has no tests that could fail.
    const unloaded = result.testResults.filter(
      (/** @type {{ status: string, assertionResults: unknown[] }} */ suite) =>
        suite.status === "failed" && suite.assertionResults.length === 0,
    );
    const failures = result.testResults.flatMap(
      (/** @type {{ name: string, assertionResults: { status: string, fullName: string }[] }} */ suite) =>
        suite.assertionResults
          .filter(({ status }) => status === "failed")
          .map(({ fullName }) => `${path.relative(ROOT, suite.name)}: ${fullName}`),
    );
    return { passed: result.numPassedTests, failed: result.numFailedTests + unloaded.length, failures };
  } catch {
    return undefined;
  }
}

/** @param {string} script */
const tool = (script) => [NODE, path.join(ROOT, "tools", script)];

/** @type {Gate[]} */
export const GATES = [
  { name: "types", commands: () => [[NODE, binOf("typescript", "tsc"), "-b"]] },
  { name: "lint", commands: () => [[NODE, binOf("oxlint"), "--type-aware", "--deny-warnings"]] },
  { name: "format", commands: () => [[NODE, binOf("prettier"), "--check", "--log-level", "warn", "."]] },
  {
    name: "tests",
    commands: () => [
      [
        NODE,
        binOf("vitest"),
        "run",
        "--project=!slow",
        "--reporter=dot",
        "--reporter=json",
        `--outputFile.json=${VITEST_RESULT}`,
      ],
    ],
    count: () => vitestResult(VITEST_RESULT),
  },
  { name: "dead code", commands: () => [[NODE, binOf("knip")]] },
  { name: "size", commands: () => [tool("size.mjs")] },
  { name: "docs", commands: () => [[...tool("docs.mjs"), "--check"]] },
];

/**
 * Runs one gate; shows what it printed when it failed.
 * @param {Gate} gate
 * @returns {Promise<Counts>} a gate counts as one; the tests count one by one
 */
async function runGate(gate) {
  rmSync(VITEST_RESULT, { force: true });
  let isOk = true;
  let durationMs = 0;
  for (const [command = NODE, ...args] of gate.commands()) {
    const result = await runChild(command, args, { cwd: ROOT, timeoutMs: LIMIT_MS });
    durationMs += result.durationMs;
    if (result.code === 0) continue;
    isOk = false;
    process.stdout.write(result.output);
    break;
  }
  const counts = gate.count?.() ?? { passed: isOk ? 1 : 0, failed: 0 };
  if (!isOk && counts.failed === 0) counts.failed = 1;
  const number = gate.count === undefined ? "" : `, ${counts.passed} passed, ${counts.failed} failed`;
  console.log(`${isOk ? "ok  " : "FAIL"} ${gate.name} (${(durationMs / 1000).toFixed(1)} s${number})`);
  return counts;
}

/** @returns {Promise<Counts>} */
export async function runGates() {
  const total = { passed: 0, failed: 0 };
  for (const gate of GATES) {
    const counts = await runGate(gate);
    total.passed += counts.passed;
    total.failed += counts.failed;
  }
  return total;
}
