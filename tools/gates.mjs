/** The gates that every commit passes. */
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { runChild } from "./children.mjs";
import { binOf, ROOT } from "./pnpm.mjs";

const NODE = process.execPath;
/** Ends a gate that hangs. Far above what a slow machine takes, so that it ends no other. */
const LIMIT_MS = 1_800_000;

/**
 * @typedef {{ passed: number, failed: number }} Counts
 * @typedef {{ code: number, output: string, durationMs: number }} Run
 * @typedef {{ name: string, commands: () => string[][], run?: () => Promise<Run & Counts> }} Gate
 */

/**
 * @param {string} file @returns {Counts & { failures: string[], files: string[] } | undefined} vitest's
 * result, or undefined if it wrote none
 */
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
    const files = result.testResults
      .filter((/** @type {{ status: string }} */ suite) => suite.status === "failed")
      .map((/** @type {{ name: string }} */ suite) => path.relative(ROOT, suite.name));
    return {
      passed: result.numPassedTests,
      failed: result.numFailedTests + unloaded.length,
      failures,
      files,
    };
  } catch {
    return undefined;
  }
}

/** @param {string} script */
const tool = (script) => [NODE, path.join(ROOT, "tools", script)];

/**
 * Vitest's projects in two gates. The tests of "units" wait most of their time for sockets and processes, those
 * of "simulations" compute; side by side they take the time of one. The simulations begin, since they take as long as
 * all the others one after the other.
 * @type {Gate[]}
 */
export const GATES = [
  { name: "simulations", commands: () => [], run: () => runTests("simulations", ["sim", "property"], 1) },
  { name: "types", commands: () => [[NODE, binOf("typescript", "tsc"), "-b"]] },
  { name: "lint", commands: () => [[NODE, binOf("oxlint"), "--type-aware", "--deny-warnings"]] },
  { name: "units", commands: () => [], run: () => runTests("units", ["unit", "repo", "heap"], 3) },
  { name: "format", commands: () => [[NODE, binOf("prettier"), "--check", "--log-level", "warn", "."]] },
  { name: "dead code", commands: () => [[NODE, binOf("knip")]] },
  { name: "size", commands: () => [[NODE, binOf("size-limit")]] },
  { name: "docs", commands: () => [[...tool("docs.mjs"), "--check"]] },
];

/** Maximum number of failing files that get a second try. */
const MAX_FILES_FOR_SECOND_TRY = 4;

/** @param {string} name @param {string[]} projects @param {string[]} extra arguments for vitest */
async function runVitest(name, projects, extra) {
  const file = path.join(ROOT, `artefacts/vitest-${name}.json`);
  rmSync(file, { force: true });
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  const chosen = projects.map((project) => `--project=${project}`);
  const args = [binOf("vitest"), "run", ...chosen, ...reporters, ...extra];
  const run = await runChild(NODE, args, { cwd: ROOT, timeoutMs: LIMIT_MS });
  const result = vitestResult(file) ?? { passed: 0, failed: 1, failures: [], files: [] };
  return { ...run, ...result };
}

/**
 * Four processes share two cores, and many tests talk over real sockets. So a file with a failure runs once
 * more, alone in its process, and the run names it. An error outside the tests has no second try.
 * @param {string} name @param {string[]} projects @param {number} workers
 * @returns {Promise<Run & Counts>}
 */
async function runTests(name, projects, workers) {
  const first = await runVitest(name, projects, [`--maxWorkers=${workers}`]);
  const { files, failures } = first;
  const isWorthIt = files.length > 0 && files.length <= MAX_FILES_FOR_SECOND_TRY;
  if (first.code === 0 || !isWorthIt || /unhandled error/i.test(first.output)) {
    for (const failure of failures) console.log(`failed: ${failure}`);
    return first;
  }
  const second = await runVitest(name, projects, [...files, "--maxWorkers=1"]);
  for (const failure of failures) console.log(`failed at the first try: ${failure}`);
  for (const failure of second.failures) console.log(`failed at the second try: ${failure}`);
  return {
    code: second.code,
    output: first.output + second.output,
    durationMs: first.durationMs + second.durationMs,
    passed: first.passed + first.failed - second.failed,
    failed: second.failed,
  };
}

/** @param {Gate} gate @returns {Promise<Run & Counts>} a gate of commands counts as one */
async function runCommands(gate) {
  let durationMs = 0;
  for (const [command = NODE, ...args] of gate.commands()) {
    const result = await runChild(command, args, { cwd: ROOT, timeoutMs: LIMIT_MS });
    durationMs += result.durationMs;
    if (result.code !== 0) return { ...result, durationMs, passed: 0, failed: 1 };
  }
  return { code: 0, output: "", durationMs, passed: 1, failed: 0 };
}

/**
 * Runs one gate; shows what it printed when it failed.
 * @param {Gate} gate
 * @returns {Promise<Counts>} a gate counts as one; the tests count one by one
 */
async function runGate(gate) {
  const { code, output, durationMs, passed, failed } = await (gate.run?.() ?? runCommands(gate));
  if (code !== 0) process.stdout.write(output);
  const counts = { passed, failed: code === 0 ? failed : Math.max(1, failed) };
  const number = gate.run === undefined ? "" : `, ${counts.passed} passed, ${counts.failed} failed`;
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${gate.name} (${(durationMs / 1000).toFixed(1)} s${number})`);
  return counts;
}

/** Runs the gates in their order, two at a time: most use one core. @returns {Promise<Counts>} */
export async function runGates() {
  const waiting = [...GATES];
  /** @type {Counts[]} */
  const counts = [];
  const runNext = async () => {
    for (let gate = waiting.shift(); gate; gate = waiting.shift()) counts.push(await runGate(gate));
  };
  await Promise.all([runNext(), runNext()]);
  const sum = (/** @type {keyof Counts} */ name) => counts.reduce((all, each) => all + each[name], 0);
  return { passed: sum("passed"), failed: sum("failed") };
}
