/**
 * Measures the downloads of the games that the documents print. Vite, esbuild and webpack build them with the packed
 * packages, Chromium plays them beside a second player on a real server, and the page's server counts the scripts.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chromium } from "@playwright/test";
import { executableOf } from "../browsers.mjs";
import { WEBPACK, withEsbuild, withVite, withWebpack } from "./bundlers.mjs";
import { authorityGame, authorityServer, FIRST_STATE, meshGame } from "./documented-games.mjs";
import { outcome } from "./outcome.mjs";
import { servePage } from "./page-server.mjs";
import { ScriptRounds } from "./script-rounds.mjs";
import { npmInstall, withInstalled } from "./tarballs.mjs";

/** Goals of a download, in bytes of compressed scripts. */
const MAX_ERROR_BYTES = 3000;
const MAX_ENTRY_BYTES = 18_000;
const MAX_BYTES_BEFORE_FIRST_STATE = 70_000;
const MAX_BYTES = /** @type {const} */ ({ mesh: 84_000, authority: 78_000 });
const MAX_LEVELS = 2;
/**
 * Libraries of others, which count apart if they have a script of their own: one with the library's text, that no
 * other code contains, and not larger than the library is.
 */
const APART = [
  { name: "WebRTC", text: "cannot signal after peer is destroyed", maxBytes: 33_000 },
  { name: "msgpackr", text: "Unexpected end of MessagePack data", maxBytes: 12_000 },
];
/** For each game a text of the other one's code, which it should not load. */
const OTHER_MODE = /** @type {const} */ ({
  mesh: "the room has an authority: players talk with it alone",
  authority: "the peer has no WebRTC, or does not want it",
});
/** Time from a page's navigation to the end of the count. */
const WATCHED_MS = 30_000;
const FIRST_STATE_WITHIN_MS = 30_000;
/** Longer than a page takes from the last script that it needs to its first state, also on a busy machine. */
const QUIET_MS = 3000;

const BUILDERS = [withVite, withEsbuild, withWebpack];
const CHROMIUM_ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/**
 * @typedef {import("./page-server.mjs").ServedScript} ServedScript
 * @typedef {readonly [what: string, fault: string | undefined]} Check
 * @typedef {import("../../packages/relay/dist/index.js").Relay} Relay
 * @typedef {{ name: "mesh" | "authority", code: string, openServer: () => Promise<Relay> }} Game
 * @typedef {{ scripts: ServedScript[], codes: string[], navigatedAtMs: number, firstStateAtMs: number }} Load
 * codes: of all files of the build, loaded or not
 * @typedef {{ what: string, value: number, goal: number, unit: "bytes" | "levels" }} Figure
 */

/** @param {string} game @param {string} name @returns {Promise<any>} an installed package of ours */
const installed = (game, name) =>
  import(pathToFileURL(path.join(game, "node_modules/@paceline", name, "dist/index.js")).href);

/** @param {string} game @returns {Promise<Game[]>} */
async function documentedGames(game) {
  const { createRelay, silentLog } = await installed(game, "relay");
  const server = path.join(game, "server.mjs");
  writeFileSync(server, authorityServer());
  let servers = 0;
  return [
    {
      name: "mesh",
      code: meshGame(),
      openServer: async () => createRelay({ rooms: { race: { maxPlayers: 16 } }, log: silentLog }),
    },
    {
      name: "authority",
      code: authorityGame(),
      openServer: async () => (await import(`${pathToFileURL(server).href}?${++servers}`)).server,
    },
  ];
}

/**
 * Opens the page while another player is in the room.
 * @param {import("@playwright/test").Browser} browser @param {Game} game @param {string} folder of the build
 * @param {{ admitted?: (script: string) => Promise<unknown>, watchedMs: number }} options
 * @returns {Promise<Load>}
 */
async function load(browser, { openServer }, folder, { admitted, watchedMs }) {
  const server = await openServer();
  const [others, counted] = [await servePage(folder, server), await servePage(folder, server, admitted)];
  const contexts = [await browser.newContext(), await browser.newContext()];
  try {
    const [other, page] = await Promise.all(contexts.map((context) => context.newPage()));
    if (other === undefined || page === undefined) throw new Error("Chromium opened no page");
    await other.goto(others.url);
    await becomesTrue(async () => server.health().connections > 0, "the other player's page has not joined");
    // Its own states come after its last script.
    await other.waitForLoadState("networkidle");
    /** @type {string[]} */
    const said = [];
    page.on("pageerror", ({ message }) => said.push(message));
    page.on("console", (line) => line.type() === "error" && said.push(line.text()));
    page.on("requestfailed", (request) => said.push(`${request.url()}: ${request.failure()?.errorText}`));
    const navigatedAtMs = Date.now();
    await page.goto(counted.url, { waitUntil: "commit" });
    const firstState = () =>
      page.evaluate((name) => {
        const [mark] = performance.getEntriesByName(name);
        return mark && performance.timeOrigin + mark.startTime;
      }, FIRST_STATE);
    const isThere = async () => (await firstState()) !== undefined;
    await becomesTrue(
      isThere,
      () => `the page has shown no first state; it says: ${said.join("; ") || "nothing"}`,
    );
    const firstStateAtMs = (await firstState()) ?? Number.NaN;
    await pause(Math.max(0, navigatedAtMs + watchedMs - Date.now()));
    return { scripts: counted.scripts, codes: counted.codes, navigatedAtMs, firstStateAtMs };
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
    await server.stop({ drainMs: 0 });
    others.stop();
    counted.stop();
  }
}

/** @param {() => Promise<boolean>} isSo @param {string | (() => string)} fault */
async function becomesTrue(isSo, fault) {
  for (const endMs = Date.now() + FIRST_STATE_WITHIN_MS; Date.now() < endMs; await pause(50))
    if (await isSo()) return;
  throw new Error(
    `${typeof fault === "string" ? fault : fault()} (waited ${FIRST_STATE_WITHIN_MS / 1000} s)`,
  );
}

/** @param {readonly ServedScript[]} scripts */
const bytesOf = (scripts) => scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);

/** @param {readonly ServedScript[]} scripts @param {string} text */
const holding = (scripts, text) => scripts.filter(({ code }) => code.includes(text));

/** @param {readonly ServedScript[]} scripts @returns {ServedScript[]} */
const apartOf = (scripts) =>
  APART.flatMap(({ text, maxBytes }) =>
    holding(scripts, text).filter(({ gzipBytes }) => gzipBytes <= maxBytes),
  );

/** @param {string} what @param {Game["name"]} game @param {Load} loaded @returns {Figure[]} */
function figuresOf(what, game, { scripts, firstStateAtMs }) {
  const early = scripts.filter(({ askedAtMs }) => askedAtMs <= firstStateAtMs);
  const apart = apartOf(scripts);
  const own = scripts.filter((script) => !apart.includes(script));
  const bytes = /** @type {const} */ ("bytes");
  return [
    {
      what: `${what}: before the first state`,
      value: bytesOf(early),
      goal: MAX_BYTES_BEFORE_FIRST_STATE,
      unit: bytes,
    },
    {
      what: `${what}: in ${WATCHED_MS / 1000} s, without what counts apart`,
      value: bytesOf(own),
      goal: MAX_BYTES[game],
      unit: bytes,
    },
  ];
}

/** @param {string} what @param {Game["name"]} game @param {Load} loaded @returns {Check[]} */
function contentChecks(what, game, { scripts, codes }) {
  const texts = [...APART.map(({ text }) => text), ...Object.values(OTHER_MODE)];
  const lost = texts.filter((text) => !codes.some((code) => code.includes(text)));
  const apart = apartOf(scripts);
  const others = holding(scripts, OTHER_MODE[game]).map(({ name }) => name);
  return [
    ...APART.map(({ name, text, maxBytes }) => {
      const shared = holding(scripts, text).find((script) => !apart.includes(script));
      const fault = shared && `${shared.name} has ${shared.gzipBytes} bytes; at most ${maxBytes} count apart`;
      return /** @type {Check} */ ([`${what}: ${name} is apart`, fault]);
    }),
    [`${what}: no code of the other mode`, others.length > 0 ? `it is in ${others.join(" ")}` : undefined],
    [
      `${what}: the build contains the texts by which this tool finds code`,
      lost.length > 0 ? `it lacks: ${lost.join("; ")}` : undefined,
    ],
  ];
}

/** @param {Figure} figure @returns {Check} */
function judged({ what, value, goal, unit }) {
  const over = value - goal;
  const verdict = over <= 0 ? "reached" : `missed by ${over}`;
  console.log(`${what}: ${value} ${unit}; goal ${goal}, ${verdict}`);
  return [what, over <= 0 ? undefined : `${value} of ${goal} ${unit}`];
}

/** @param {Load} loaded */
function printScripts({ scripts, navigatedAtMs, firstStateAtMs }) {
  console.log(`  first state after ${(firstStateAtMs - navigatedAtMs).toFixed(0)} ms`);
  for (const { name, code, gzipBytes, askedAtMs } of scripts) {
    const held = APART.filter(({ text }) => code.includes(text)).map((part) => `, with ${part.name}`);
    console.log(`  ${name}: ${gzipBytes}, asked after ${askedAtMs - navigatedAtMs} ms${held.join("")}`);
  }
}

/** @param {typeof withVite} build @param {string} folder @param {string} name of the module */
async function built(build, folder, name) {
  const out = path.join(folder, `out-${build.name}-${name}`);
  mkdirSync(out);
  return { out, ...(await build(folder, `${name}.js`, out)) };
}

/** @param {string} folder @returns {Promise<Check[]>} */
async function errorChecks(folder) {
  writeFileSync(
    path.join(folder, "errors.js"),
    'import { NetError } from "@paceline/client";\nglobalThis.isOurs = (error) => error instanceof NetError;\n',
  );
  /** @type {Check[]} */
  const checks = [];
  for (const build of BUILDERS) {
    const { name, entryBytes } = await built(build, folder, "errors");
    const what = `${name}: import { NetError }`;
    checks.push(judged({ what, value: entryBytes, goal: MAX_ERROR_BYTES, unit: "bytes" }));
  }
  return checks;
}

/** @param {import("@playwright/test").Browser | undefined} browser @param {string} folder @param {Game} game @returns {Promise<Check[]>} */
async function gameChecks(browser, folder, game) {
  writeFileSync(path.join(folder, `${game.name}.js`), game.code);
  /** @type {Check[]} */
  const checks = [];
  for (const build of BUILDERS) {
    const { out, name, entryBytes } = await built(build, folder, game.name);
    const what = `${game.name}, ${name}`;
    checks.push(
      judged({ what: `${what}: the entry`, value: entryBytes, goal: MAX_ENTRY_BYTES, unit: "bytes" }),
    );
    if (browser) checks.push(...(await played(browser, game, out, what)));
  }
  return checks;
}

/**
 * @param {import("@playwright/test").Browser} browser @param {Game} game @param {string} out @param {string} what
 * @returns {Promise<Check[]>}
 */
async function played(browser, game, out, what) {
  try {
    const loaded = await load(browser, game, out, { watchedMs: WATCHED_MS });
    const checks = figuresOf(what, game.name, loaded).map(judged);
    checks.push(...contentChecks(what, game.name, loaded));
    printScripts(loaded);
    const rounds = new ScriptRounds(QUIET_MS);
    const held = await load(browser, game, out, {
      admitted: (script) => rounds.admit(script),
      watchedMs: 0,
    });
    const levels = rounds.before(held.firstStateAtMs);
    const value = levels.length;
    checks.push(judged({ what: `${what}: before the first state`, value, goal: MAX_LEVELS, unit: "levels" }));
    for (const [index, scripts] of levels.entries())
      console.log(`  level ${index + 1}: ${scripts.join(" ")}`);
    return checks;
  } catch (error) {
    return [[`${what}: it plays`, String(error)]];
  }
}

/** @param {string} folder with the installed packages @returns {Promise<import("./outcome.mjs").Outcome>} */
async function measure(folder) {
  const { code, output } = await npmInstall(folder, [WEBPACK]);
  if (code !== 0) throw new Error(`npm could not install webpack:\n${output}`);
  const executablePath = executableOf("chromium");
  const browser = executablePath && (await chromium.launch({ executablePath, args: CHROMIUM_ARGS }));
  const checks = await errorChecks(folder);
  try {
    for (const game of await documentedGames(folder))
      checks.push(...(await gameChecks(browser || undefined, folder, game)));
  } finally {
    if (browser) await browser.close();
  }
  const skipped = browser ? [] : ["Chromium is not installed: nobody counted what a page loads"];
  return { ...outcome(checks), skipped };
}

export const downloads = () => withInstalled(measure);
