/**
 * `pnpm verify [--only STEP]... [--repeat 20] [--json]`: runs the checks that are too long for `npm test`.
 * Keeps its summary in
 * docs/results/verify.json; with --only, the results of other steps stay. The last line is plain text, or one
 * JSON object.
 */
import "./node-version.mjs";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { endChildrenOnSignals } from "./children.mjs";
import { ensurePrograms } from "./debian.mjs";
import { ensureInstalled, ROOT } from "./pnpm.mjs";
import { outcome as outcomeOf, settled } from "./verify/outcome.mjs";

const RESULT = path.join(ROOT, "docs/results/verify.json");
const DEFAULT_ROUNDS = 20;

/**
 * @typedef {import("./verify/outcome.mjs").Outcome} Outcome
 * @typedef {Outcome & { name: string, command: string, date: string, commit: string, load: number, minutes: number }} Row
 */

/** @param {import("./verify/steps.mjs").Step} step @returns {Promise<Row>} */
async function play({ name, command, run }) {
  const startedMs = performance.now();
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  }).trim();
  const load = Number(os.loadavg()[0]?.toFixed(2));
  /** @type {Outcome} */
  const outcome = await run().then(settled, (error) => outcomeOf([["it runs", String(error)]]));
  const minutes = Number(((performance.now() - startedMs) / 60_000).toFixed(1));
  return { name, command, date: new Date().toISOString(), commit, load, ...outcome, minutes };
}

/** @returns {Row[]} */
function rowsBefore() {
  try {
    return JSON.parse(readFileSync(RESULT, "utf8")).steps;
  } catch {
    return [];
  }
}

/** @param {Row} row */
function lineOf({ name, passed, failed, skipped, minutes }) {
  const verdict = failed > 0 ? "FAIL" : passed > 0 ? "ok" : "skipped";
  return [
    verdict.padEnd(8),
    name.padEnd(12),
    `${passed} passed`,
    `${failed} failed`,
    `${skipped.length} skipped`,
    `${minutes} min`,
  ].join("  ");
}

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    repeat: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
endChildrenOnSignals(130);
if (!(await ensureInstalled())) process.exit(1);
// Imported only here: in a fresh clone the steps need packages that were just installed.
const { stepsWith } = await import("./verify/steps.mjs");
const known = stepsWith({ rounds: Number(values.repeat ?? DEFAULT_ROUNDS) });
const wanted = new Set([...(values.only ?? []), ...(values.repeat === undefined ? [] : ["repeat"])]);
const unknown = [...wanted].filter((name) => !known.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(
    `No step is named ${unknown.join(", ")}; known: ${known.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
await ensurePrograms();
if (!(await buildAll())) process.exit(1);

const order = known.map(({ name }) => name);
const machine = {
  cores: os.availableParallelism(),
  memoryGb: Math.round(os.totalmem() / 2 ** 30),
  platform: `${os.platform()} ${os.release()}`,
};
const before = rowsBefore();

/** Saves the results so far. @param {Row[]} rows */
function save(rows) {
  const kept = before.filter((row) => rows.every(({ name }) => name !== row.name));
  const steps = [...kept, ...rows].toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const summary = { name: "verify", date: new Date().toISOString(), node: process.version, machine, steps };
  writeFileSync(RESULT, `${JSON.stringify(summary, undefined, 2)}\n`);
  return summary;
}

const chosen = known.filter(({ name, isAsked }) => (wanted.size > 0 ? wanted.has(name) : isAsked !== true));
/** @type {Row[]} */
const rows = [];
for (const step of chosen) {
  const row = await play(step);
  console.log(lineOf(row));
  for (const note of [...row.skipped.map((why) => `skipped: ${why}`), ...row.notes]) console.log(`  ${note}`);
  rows.push(row);
  // Saves after each step, so that results survive if something ends the hour early.
  save(rows);
}

const passed = rows.reduce((sum, row) => sum + row.passed, 0);
const failed = rows.reduce((sum, row) => sum + row.failed, 0);
console.log("");
for (const row of rows) console.log(lineOf(row));
console.log(`${passed} passed, ${failed} failed`);
if (values.json) console.log(JSON.stringify({ ...save(rows), steps: rows }));
process.exitCode = failed === 0 ? 0 : 1;
