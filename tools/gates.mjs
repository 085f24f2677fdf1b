/** The gates that every commit passes. */
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PROJECTS } from "./build.mjs";
import { runChild } from "./children.mjs";
import { binOf, ROOT } from "./pnpm.mjs";

const NODE = process.execPath;
/** Ends a gate that hangs. Far above what a slow machine takes, so that it ends no other. */
const LIMIT_MS = 3_600_000;

/**
 * @typedef {{ passed: number, failed: number }} Counts
 * @typedef {{ code: number, output: string, durationMs: number }} Run
 * @typedef {{ name: string, commands?: () => string[][], run?: () => Promise<Run & Counts> }} Gate
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

/** The cache, in node_modules, spares the next run nearly all of a minute. */
const FORMAT = ["--check", "--cache", "--log-level", "warn"];
const LINT = ["--type-aware", "--type-check", "--deny-warnings"];

/** @param {string} script */
const tool = (script) => [NODE, path.join(ROOT, "tools", script)];

/**
 * The simulations compute in virtual time, and take as long as all other gates that compute. The tests of the heap
 * count, and compute too.
 * @type {Gate}
 */
const simulations = {
  name: "simulations",
  run: () => runTests("simulations", ["sim", "property", "heap"], 2, true),
};

/**
 * The tests that wait for sockets, processes and real time.
 * @type {Gate}
 */
const units = { name: "units", run: () => runTests("units", ["unit"], 3, false) };

/**
 * The tests of the repository itself read, bundle and compile.
 * @type {Gate}
 */
const repository = { name: "repository", run: () => runTests("repository", ["repo"], 1, true) };

/**
 * The packages' types are checked by the compiler that writes their declarations, if the build has not done so. The
 * types of all the rest, tests and tools included, are checked by the linter, which has read them for its rules anyway:
 * that takes 10 s of CPU time instead of 80. A plain `tsc -b` says the same.
 * @type {Gate[]}
 */
const READERS = [
  { name: "types of packages", commands: () => [[NODE, binOf("typescript", "tsc"), "-b", ...PROJECTS]] },
  { name: "types and lint", commands: () => [[NODE, binOf("oxlint"), ...LINT]] },
  { name: "format", commands: () => [[NODE, binOf("prettier"), ...FORMAT, "."]] },
  { name: "dead code", commands: () => [[NODE, binOf("knip")]] },
  { name: "size", commands: () => [[NODE, binOf("size-limit")]] },
  { name: "docs", commands: () => [[...tool("docs.mjs"), "--check"]] },
];

/** Maximum number of failing files that get a second try. */
const MAX_FILES_FOR_SECOND_TRY = 4;

/** Which tests needed a second try, on which machine: one line for each failure, of all runs. */
const SECOND_TRIES = path.join(ROOT, "artefacts/second-tries.jsonl");

/** @param {string} gate @param {string[]} tests */
function noteSecondTry(gate, tests) {
  const record = { date: new Date().toISOString(), gate, cores: os.cpus().length, load: os.loadavg()[0] };
  appendFileSync(SECOND_TRIES, tests.map((test) => `${JSON.stringify({ ...record, test })}\n`).join(""));
}

/**
 * @param {string} name @param {string[]} projects @param {string[]} extra arguments for vitest
 * @param {boolean} isPatient
 */
async function runVitest(name, projects, extra, isPatient) {
  const file = path.join(ROOT, `artefacts/vitest-${name}.json`);
  rmSync(file, { force: true });
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  const chosen = projects.map((project) => `--project=${project}`);
  const args = [binOf("vitest"), "run", ...chosen, ...reporters, ...extra];
  const run = await runChild(NODE, args, { cwd: ROOT, timeoutMs: LIMIT_MS, isPatient });
  const result = vitestResult(file) ?? { passed: 0, failed: 1, failures: [], files: [] };
  return { ...run, ...result };
}

/**
 * Many processes share two cores, and many tests talk over real sockets. So a file with a failure runs once
 * more, alone in its process, and the run names it. An error outside the tests has no second try.
 * @param {string} name @param {string[]} projects @param {number} workers @param {boolean} isPatient
 * @returns {Promise<Run & Counts>}
 */
async function runTests(name, projects, workers, isPatient) {
  const first = await runVitest(name, projects, [`--maxWorkers=${workers}`], isPatient);
  const { files, failures } = first;
  const isWorthIt = files.length > 0 && files.length <= MAX_FILES_FOR_SECOND_TRY;
  if (first.code === 0 || !isWorthIt || /unhandled error/i.test(first.output)) {
    for (const failure of failures) console.log(`failed: ${failure}`);
    return first;
  }
  const second = await runVitest(name, projects, [...files, "--maxWorkers=1"], isPatient);
  noteSecondTry(name, failures);
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
  for (const [command = NODE, ...args] of gate.commands?.() ?? []) {
    const result = await runChild(command, args, { cwd: ROOT, timeoutMs: LIMIT_MS, isPatient: true });
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

/** @typedef {() => Promise<Counts>} Step */

/**
 * Runs steps one after another. @param {Step[]} steps @returns {Promise<Counts>} their sum
 */
async function inTurn(steps) {
  const sum = { passed: 0, failed: 0 };
  for (const step of steps) {
    const { passed, failed } = await step();
    sum.passed += passed;
    sum.failed += failed;
  }
  return sum;
}

/**
 * Runs all gates. Those that wait for real time run one after another, so that none disturbs another. Beside them those
 * that only compute run with the lowest priority, and take the time in which the others wait.
 * @param {{ before?: Step[], after?: Step[] }} [waiting] further steps that wait, and run before and after the units
 * @returns {Promise<Counts>}
 */
export async function runGates({ before = [], after = [] } = {}) {
  const lanes = [
    [...before, () => runGate(units), ...after],
    [() => runGate(simulations)],
    [...READERS, repository].map((gate) => () => runGate(gate)),
  ];
  const counts = await Promise.all(lanes.map((steps) => inTurn(steps)));
  return inTurn(counts.map((count) => async () => count));
}
