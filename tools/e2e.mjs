/**
 * `pnpm e2e [arguments for Playwright]`: runs the end-to-end tests, without arguments those of `npm test`.
 * Prints one line per
 * scenario at the end, and keeps the figures in artefacts.
 */
import "./node-version.mjs";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBrowsers } from "./browsers.mjs";
import { endChildrenOnSignals, runChild } from "./children.mjs";
import { ROOT } from "./pnpm.mjs";

const E2E = path.join(ROOT, "e2e");
const ARTEFACTS = path.join(ROOT, "artefacts");
const RESULT = path.join(ARTEFACTS, "playwright.json");
const FINDINGS = path.join(ARTEFACTS, "e2e.jsonl");
const PLAYWRIGHT_MANIFEST = path.join(E2E, "node_modules/@playwright/test/package.json");
const LIMIT_MS = 1_820_000;

/** @returns {{ passed: number, failed: number, skipped: number } | undefined} */
function playwrightCounts() {
  if (!existsSync(RESULT)) return undefined;
  const { stats, errors } = JSON.parse(readFileSync(RESULT, "utf8"));
  if (stats.flaky > 0)
    console.log(`${stats.flaky} of them passed at the second try only; the lines above say which.`);
  // An error outside all tests (a file that does not load) is a failure that no test counts.
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

/** Prints the scenarios' findings, and keeps them as one record beside the screenshots. */
function reportFindings() {
  if (!existsSync(FINDINGS)) return;
  const rows = readFileSync(FINDINGS, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const versions = { playwright: JSON.parse(readFileSync(PLAYWRIGHT_MANIFEST, "utf8")).version };
  const machine = { cores: os.cpus().length, load: os.loadavg()[0] };
  const record = {
    name: "e2e",
    date: new Date().toISOString(),
    node: process.version,
    versions,
    machine,
    rows,
  };
  writeFileSync(path.join(ARTEFACTS, "e2e.json"), `${JSON.stringify(record, undefined, 2)}\n`);
  console.log("Scenario | browsers | path | connect time | position error");
  for (const row of rows) console.log(row.line);
}

/** Arguments for the tests of `npm test`; `pnpm verify` runs the others, marked slow. */
export const QUICK = ["--grep-invert", "@slow"];
export const SLOW = ["--grep", "@slow"];

/**
 * @param {string[]} extra arguments for Playwright
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runE2e(extra) {
  if (!(await ensureBrowsers())) return { passed: 0, failed: 1, skipped: 0 };
  mkdirSync(ARTEFACTS, { recursive: true });
  rmSync(RESULT, { force: true });
  rmSync(FINDINGS, { force: true });
  const cli = path.join(E2E, "node_modules/@playwright/test/cli.js");
  const result = await runChild(process.execPath, [cli, "test", ...extra], {
    cwd: E2E,
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1", PLAYWRIGHT_JSON_OUTPUT_NAME: RESULT },
    timeoutMs: LIMIT_MS,
    echo: true,
  });
  const counts = playwrightCounts() ?? { passed: 0, failed: 0, skipped: 0 };
  if (result.code !== 0 && counts.failed === 0) counts.failed = 1;
  reportFindings();
  const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
  const verdict = counts.failed === 0 ? "ok  " : "FAIL";
  const seconds = (result.durationMs / 1000).toFixed(1);
  console.log(`${verdict} e2e (${seconds} s, ${counts.passed} passed, ${counts.failed} failed${skipped})`);
  return counts;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  endChildrenOnSignals(130);
  const extra = process.argv.slice(2);
  const { failed } = await runE2e(extra.length === 0 ? QUICK : extra);
  process.exitCode = failed === 0 ? 0 : 1;
}
