/** The steps of `pnpm verify`, in this order: cheap ones first. */
import path from "node:path";
import { runChild } from "../children.mjs";
import { installDebianPackages } from "../debian.mjs";
import { runE2e, SLOW } from "../e2e.mjs";
import { mutate } from "../mutate.mjs";
import { binOf, ROOT } from "../pnpm.mjs";
import { vitestResult } from "../gates.mjs";
import { downloads } from "./downloads.mjs";
import { firstHours } from "./first-hour.mjs";
import { lastJson, outcome, skip } from "./outcome.mjs";
import { pages } from "./pages.mjs";
import { busyJoins } from "./busy-join.mjs";
import { pauses } from "./pause.mjs";
import { runtimes } from "./runtimes.mjs";
import { site } from "./site.mjs";
import { publishableFolders, tarballs } from "./tarballs.mjs";

const MINUTE_MS = 60_000;
/** Cases of the matrix: address translation, TURN, web ports only, a dying path, a cut, and losses. */
const LAB_CASES = [
  "nat-nat",
  "symmetric-nat-turn-udp",
  "web-ports-only",
  "webrtc-dies-silently",
  "cut-5s",
  "server-restart",
  "loss-5",
];

/** A WebRTC library for Python. */
const AIORTC = "aiortc==1.16.0";

/** Runs in the step `tree`. */
const TREE_MUTATION = "packages/server/test/plan-mutation.slow.test.ts";

/** Scenarios of the step `screenshots`. */
const PICTURES = "the game and its panel|a picture of every phase";

const LAB_PACKAGES = ["iproute2", "nftables", "util-linux", "coturn", "python3"];

/** @typedef {import("./outcome.mjs").Outcome} Outcome */

/** @param {string} script @param {string[]} args @param {number} minutes */
function tool(script, args, minutes) {
  const options = { cwd: ROOT, timeoutMs: minutes * MINUTE_MS };
  return runChild(process.execPath, [path.join(ROOT, "tools", script), ...args], options);
}

/** @param {string[]} extra @returns {Promise<Outcome>} */
async function e2e(extra) {
  const { passed, failed, skipped } = await runE2e(extra);
  return { passed, failed, skipped: skipped === 0 ? [] : [`${skipped} scenarios: see above`], notes: [] };
}

/**
 * Runs the tests that are too long for `npm test`: `name.slow.test.ts`, and scenarios marked slow. @returns
 * {Promise<Outcome>}
 */
async function slow() {
  const units = await unitTests(["--project", "slow", "--exclude", TREE_MUTATION, "--passWithNoTests"], 20);
  const scenarios = await e2e([...SLOW, "--grep-invert", PICTURES]);
  return {
    passed: units.passed + scenarios.passed,
    failed: units.failed + scenarios.failed,
    skipped: scenarios.skipped,
    notes: units.notes,
  };
}

/** Checks that the simulated wire shows each change of the decision tree. @returns {Promise<Outcome>} */
function tree() {
  return unitTests(["--project", "slow", TREE_MUTATION], 10);
}

/** Checks that npm would publish every package, each after its dependencies. @returns {Promise<Outcome>} */
async function release() {
  const { code, output } = await tool("release.mjs", ["--dry-run"], 10);
  const published = [...output.matchAll(/^would publish (\S+) /gm)].map(([, name]) => name);
  const isAll = code === 0 && published.length === publishableFolders().length;
  return outcome([["npm would publish all packages", isAll ? undefined : output.slice(-3000)]]);
}

/**
 * Runs the participant in Python over WebRTC. Fails if its package cannot be installed. @returns
 * {Promise<Outcome>}
 */
async function foreign() {
  const home = path.join(ROOT, "artefacts/aiortc");
  const options = { cwd: ROOT, timeoutMs: 5 * MINUTE_MS };
  const makes = () => runChild("python3", ["-m", "venv", home], options);
  if ((await makes()).code !== 0) {
    await installDebianPackages(["python3-venv"]);
    await makes();
  }
  const python = path.join(home, "bin/python");
  const installed = await runChild(python, ["-m", "pip", "install", "--quiet", AIORTC], options);
  if (installed.code !== 0) return outcome([[`${AIORTC} installs`, installed.output.slice(-3000)]]);
  const flags = ["--project", "unit", "packages/client/test/second-player.test.ts"];
  return unitTests(flags, 3, { PACELINE_AIORTC_PYTHON: python });
}

/** @param {string[]} args @param {number} minutes @param {Record<string, string>} [env] @returns {Promise<Outcome>} */
async function unitTests(args, minutes, env = {}) {
  const file = path.join(ROOT, "artefacts/verify-vitest.json");
  const flags = ["run", "--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  const options = { cwd: ROOT, timeoutMs: minutes * MINUTE_MS, env };
  const { code, output } = await runChild(process.execPath, [binOf("vitest"), ...flags, ...args], options);
  const result = vitestResult(file);
  if (result === undefined) return outcome([["vitest runs", code === 0 ? undefined : output.slice(-3000)]]);
  const failed = code === 0 ? 0 : Math.max(1, result.failed);
  return { passed: result.passed, failed, skipped: [], notes: result.failures };
}

/** @returns {Promise<Outcome>} */
async function mutation() {
  const { tried, untried, killed, survivors, least } = await mutate([]);
  const isEnough = killed >= tried * least && tried > 0;
  const notes = [
    `${killed} of ${tried} changes were noticed, at least ${least * 100} % must be`,
    ...survivors,
  ];
  if (untried > 0) notes.push(`${untried} of the sample were not reached in time`);
  return { passed: isEnough ? 1 : 0, failed: isEnough ? 0 : 1, skipped: [], notes };
}

/** @param {string[]} args @param {number} minutes @returns {Promise<Outcome>} */
async function attack(args, minutes) {
  const { code, output } = await tool("attack.mjs", [...args, "--json"], minutes);
  const result = /** @type {{ passed: number, failed: number, seed: number } | undefined} */ (
    lastJson(output)
  );
  if (result === undefined)
    return outcome([["the attack ends with its result", `code ${code}: ${output.slice(-3000)}`]]);
  const failures = output.split("\n").filter((line) => line.startsWith("FAIL "));
  return {
    passed: result.passed,
    failed: result.failed,
    skipped: [],
    notes: [`seed ${result.seed}`, ...failures],
  };
}

/** @returns {Promise<Outcome>} */
async function laboratory() {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return skip("network namespaces need Linux and root");
  await installDebianPackages(LAB_PACKAGES);
  const args = ["matrix", "--quick", "--json", ...LAB_CASES.flatMap((name) => ["--case", name])];
  const { code, output } = await tool("lab.mjs", args, 15);
  const result = /** @type {{ rows: Record<string, unknown>[] } | undefined} */ (lastJson(output));
  if (result === undefined)
    return outcome([["the matrix ends with its result", `code ${code}: ${output.slice(-3000)}`]]);
  // A machine that cannot create networks uses the simulator, which `npm test` covers.
  const real = result.rows.filter((row) => row.browsers !== "simulated");
  if (real.length === 0) return skip("the matrix could make no network here, and only simulated");
  const checks = LAB_CASES.map((name) => {
    const row = real.find((each) => each.case === name);
    const wrong = row && ["lost", "repeated", "outOfOrder"].filter((column) => row[column] !== 0);
    if (row === undefined) return /** @type {const} */ ([name, "was not played"]);
    const fault = wrong?.length ? `reliable messages ${wrong.join(", ")}: ${JSON.stringify(row)}` : undefined;
    return /** @type {const} */ ([name, fault]);
  });
  // Bounds on time depend on the machine, so missed ones are only notes.
  const missed = output.split("\n").filter((line) => line.startsWith("Bounds that held"));
  const line = await lossyLine();
  const { notes, ...counts } = outcome([...checks, ...line.checks]);
  return { ...counts, notes: [...notes, ...missed, ...line.notes] };
}

/** Runs a room with an authority whose wire begins to lose every fifth frame: less than a minute. */
async function lossyLine() {
  const { code, output } = await tool("lab.mjs", ["loss", "--json"], 5);
  const result = /** @type {{ rows: { movedMs?: number, measuredPercent?: number }[] } | undefined} */ (
    lastJson(output)
  );
  const [row] = result?.rows ?? [];
  const hasMoved = row?.movedMs !== undefined;
  // One interval in twenty misses the real loss, and a busy machine is late, so both are only notes.
  const isMeasured = Math.abs((row?.measuredPercent ?? 0) - 20) <= 5;
  const notes = output.split("\n").filter((printed) => printed.startsWith("MISS "));
  const fault = row ? JSON.stringify(row) : `code ${code}: ${output.slice(-3000)}`;
  const checks = /** @type {[string, string | undefined][]} */ ([
    ["states leave a WebSocket that loses each fifth frame", hasMoved ? undefined : fault],
    ["loss is measured on WebRTC", isMeasured ? undefined : fault],
  ]);
  return { checks, notes };
}

/**
 * Runs the tests several times: a test that fails in any round is unstable. @param {number} rounds @returns
 * {Promise<Outcome>}
 */
async function repeat(rounds) {
  /** @type {Outcome} */
  const total = { passed: 0, failed: 0, skipped: [], notes: [] };
  for (let round = 1; round <= rounds; round += 1) {
    const { failed, notes } = await unitTests(
      ["--project", "unit", "--project", "property", "--project", "sim", "--project", "heap"],
      15,
    );
    if (failed === 0) total.passed += 1;
    else total.failed += 1;
    total.notes.push(...notes.map((note) => `round ${round}: ${note}`));
    console.log(`round ${round} of ${rounds}: ${failed} failed ${notes.join("; ")}`);
  }
  return total;
}

/**
 * @typedef {{ name: string, command: string, run: () => Promise<Outcome>, isAsked?: boolean }} Step
 * isAsked: true for a step that runs only if it is named, since it does not fit into the hour
 */

/** @param {{ rounds: number }} options @returns {Step[]} */
export const stepsWith = ({ rounds }) => [
  {
    name: "tarballs",
    command: "node tools/shape.mjs; npm install of the packed packages; README's example",
    run: tarballs,
  },
  {
    name: "release",
    command: "pnpm release --dry-run",
    run: release,
  },
  {
    name: "downloads",
    command: "README's and the guide's game in Vite, esbuild and webpack, from the packed packages; Chromium",
    run: downloads,
  },
  {
    name: "first-hour",
    command: "npm create paceline, npm install, npm run dev; Chromium and Firefox, both templates",
    run: firstHours,
  },
  {
    name: "pages",
    command: "the packed client in Vite, esbuild, webpack and without a bundler; Chromium meets Firefox",
    run: pages,
  },
  {
    name: "runtimes",
    command: "the packed server and client in Node 20.19, 22 and 24; the client in Deno and Bun",
    run: runtimes,
  },
  {
    name: "foreign",
    command: "a client in Python, over WebSocket and over WebRTC, with a real one",
    run: foreign,
  },
  { name: "site", command: "pnpm docs:site", run: site },
  {
    name: "screenshots",
    command: `pnpm e2e --grep "${PICTURES}"`,
    run: () => e2e(["--grep", PICTURES]),
  },
  {
    name: "pause",
    command: "the built server stopped for 5, 12, 20 and 30 s with 3 and 6 clients in both kinds of rooms",
    run: pauses,
  },
  { name: "busy-join", command: "twenty clients join at once on a busy machine", run: busyJoins },
  { name: "slow", command: "pnpm unit --project slow; pnpm e2e --grep @slow", run: slow },
  { name: "tree", command: `pnpm unit --project slow ${TREE_MUTATION}`, run: tree },
  {
    name: "lab",
    command: `pnpm lab matrix --quick --case ${LAB_CASES.join(" --case ")}; pnpm lab loss`,
    run: laboratory,
  },
  { name: "mutation", command: "pnpm mutate", run: mutation },
  { name: "attack", command: "pnpm attack", run: () => attack([], 30) },
  { name: "soak", command: "pnpm attack --soak-minutes 15", run: () => attack(["--soak-minutes", "15"], 20) },
  { name: "repeat", command: `pnpm unit, ${rounds} times`, run: () => repeat(rounds), isAsked: true },
];
