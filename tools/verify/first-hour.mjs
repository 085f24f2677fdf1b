/**
 * Plays a newcomer's first minutes, from an empty folder with npm and the packed packages: npm create
 * paceline, npm install, npm
 * run dev. Chromium and Firefox must see each other's dot move. Then it does the same in production, saves an
 * error, types the program of docs/getting-started.md, and makes a game of each starter.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { executableOf } from "../browsers.mjs";
import { endChild, runChild, startChild } from "../children.mjs";
import { fencesOf } from "../markdown.mjs";
import { binOf, ROOT } from "../pnpm.mjs";
import { starters } from "../starters.mjs";
import { closeBrowsers, openBrowsers } from "./browser-pair.mjs";
import { localRegistry } from "./local-registry.mjs";
import { outcome, skip } from "./outcome.mjs";
import { becomes, freePort, withPacked } from "./tarballs.mjs";

const COMMAND_LIMIT_MS = 300_000;
const AIM_SECONDS = 60;
/** Smallest distance that counts as a movement, pixels. */
const MOVED_PX = 20;
/** Starters that draw with WebGL alone. */
const WITH_WEBGL = new Set(["racing"]);

/** @typedef {import("@playwright/test").Page} Page */
/** @typedef {Record<string, string>} Env */

/**
 * Returns the positions of the discs on the page's canvas, by color.
 * @param {Page} page @returns {Promise<Record<string, number[]>>}
 */
function discsOn(page) {
  return page.evaluate(() => {
    // Smaller areas are coins, letters and the soft edges of discs.
    const LEAST_PIXELS = 300;
    const canvas = document.querySelector("canvas");
    const { data } = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
    /** @type {Record<string, number[]>} */
    const sums = {};
    for (let at = 0; data && at < data.length; at += 4) {
      if (data[at + 3] !== 255) continue;
      const sum = (sums[`${data[at]} ${data[at + 1]} ${data[at + 2]}`] ??= [0, 0]);
      sum[0] = (sum[0] ?? 0) + 1;
      sum[1] = (sum[1] ?? 0) + ((at / 4) % (canvas?.width ?? 1));
    }
    const discs = Object.entries(sums).filter(([, [count = 0]]) => count > LEAST_PIXELS);
    return Object.fromEntries(discs.map(([color, [count = 1, x = 0]]) => [color, [x / count]]));
  });
}

/** @param {Page} page @returns {Promise<boolean>} whether a disc has moved away from its place in `before` */
async function hasMoved(page, /** @type {Record<string, number[]>} */ before) {
  const now = await discsOn(page);
  return Object.entries(before).some(([color, [x = 0]]) => Math.abs((now[color]?.[0] ?? x) - x) > MOVED_PX);
}

/** @param {Page} mover @param {Page} watcher @returns {Promise<boolean>} whether the watcher sees the mover move */
async function sees(watcher, mover) {
  const before = await discsOn(watcher);
  await watcher.waitForTimeout(300);
  if (await hasMoved(watcher, before)) throw new Error("a dot moves that nobody moves");
  // Tries both directions: a dot at an edge can move in only one.
  for (const key of ["ArrowRight", "ArrowLeft"]) {
    await mover.keyboard.down(key);
    const ends = Date.now() + 1500;
    let moved = false;
    while (!moved && Date.now() < ends) moved = await hasMoved(watcher, before);
    await mover.keyboard.up(key);
    if (moved) return true;
  }
  return false;
}

/** @param {readonly Page[]} pages @param {string} url @returns {Promise<string | undefined>} the fault */
async function meet(pages, url) {
  const [one, other] = pages;
  if (!one || !other) return "there are no two browsers";
  await Promise.all(pages.map((page) => page.goto(url)));
  const isTwo = async (/** @type {Page} */ page) => Object.keys(await discsOn(page)).length === 2;
  const areBoth = await becomes(async () => (await isTwo(one)) && (await isTwo(other)));
  if (!areBoth) {
    const seen = await Promise.all(pages.map(discsOn));
    const words = await Promise.all(pages.map((page) => page.locator("body").innerText()));
    return `the pages do not show two dots: ${JSON.stringify(seen)} ${words.join(" | ")}`;
  }
  if (!(await sees(one, other))) return "Chromium does not see Firefox's dot move";
  if (!(await sees(other, one))) return "Firefox does not see Chromium's dot move";
  return undefined;
}

/**
 * Runs a command until it is ended, and returns the address that it prints.
 * @param {string} folder @param {string[]} command @param {RegExp} pattern
 */
async function running(folder, [program = "", ...args], pattern) {
  const child = startChild(program, args, { cwd: folder, env: { NO_COLOR: "1" } });
  const said = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => (said.text += text));
  const stop = () => endChild(child);
  if (await becomes(() => pattern.test(said.text))) return { url: pattern.exec(said.text)?.[1] ?? "", stop };
  await stop();
  throw new Error(`${program} ${args.join(" ")} never said ${String(pattern)}:\n${said.text}`);
}

/** @param {string} folder @param {string[]} args @param {Env} [env] */
async function npm(folder, args, env = {}) {
  const { code, output } = await runChild("npm", args, { cwd: folder, env, timeoutMs: COMMAND_LIMIT_MS });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${output}`);
}

/**
 * Checks that both pages show an error in the game's file until the next save. @param {readonly Page[]} pages
 * @param {string} game
 */
async function showsErrors(pages, game) {
  const file = path.join(game, "src/rooms.ts");
  const text = readFileSync(file, "utf8");
  const overlay = () =>
    document.querySelector("vite-error-overlay")?.shadowRoot?.textContent?.includes("rooms.ts:1") === true;
  // A page that is reloading shows neither.
  const isShown = (/** @type {Page} */ page) => page.evaluate(overlay).catch(() => undefined);
  const all = async (/** @type {boolean} */ wanted) =>
    (await Promise.all(pages.map(isShown))).every((shown) => shown === wanted);
  writeFileSync(file, `const broken = ;\n${text}`);
  if (!(await becomes(() => all(true)))) return "a page does not show the error";
  writeFileSync(file, text);
  return (await becomes(() => all(false))) ? undefined : "the error stays after a save without one";
}

/**
 * @param {string} home @param {string} template @param {readonly Page[]} pages
 * @param {{ env: Env, registry: { integrities: Map<string, string> } }} source of the packages
 * @returns {Promise<(readonly [string, string | undefined])[]>}
 */
async function firstHour(home, template, pages, { env, registry }) {
  const startedMs = performance.now();
  await npm(home, ["create", "--yes", "paceline@latest", template, "--", "--template", template], env);
  const game = path.join(home, template);
  await npm(game, ["install"], env);
  const dev = await running(game, ["npm", "run", "dev"], /Local:\s+(http:\S+)/);
  /** @type {(readonly [string, string | undefined])[]} */
  const checks = [];
  try {
    checks.push([`${template}: two browsers see each other's dot move`, await meet(pages, dev.url)]);
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(
      `${template}: ${seconds.toFixed(0)} s from an empty folder to two players (aim ${AIM_SECONDS})`,
    );
    if (template === "authority")
      checks.push([`${template}: an error is shown on the page`, await showsErrors(pages, game)]);
  } finally {
    await dev.stop();
  }
  await npm(game, ["run", "build"]);
  const port = String(await freePort());
  const start = await running(
    game,
    ["npm", "start", "--", "--port", port, "--webrtc", "off"],
    /listening on (http:\S+)/,
  );
  try {
    checks.push([`${template}: the same after npm run build and npm start`, await meet(pages, start.url)]);
  } finally {
    await start.stop();
  }
  checks.push([`${template}: our packages are the packed ones`, strangerIn(game, registry.integrities)]);
  return checks;
}

/**
 * Types the section "By hand" of docs/getting-started.md, with a free port.
 * @param {string} home @param {readonly Page[]} pages @param {Env} env @returns {Promise<readonly [string,
 * string | undefined]>}
 */
async function byHand(home, pages, env) {
  const text = readFileSync(path.join(ROOT, "docs/getting-started.md"), "utf8");
  const fences = fencesOf(text.slice(text.indexOf("\n## By hand\n"), text.indexOf("\n## What happened\n")));
  const [install = "", server = "", page = ""] = codeIn(fences, "sh");
  const [[html = ""], [code = ""]] = [codeIn(fences, "html"), codeIn(fences, "ts")];
  const port = String(await freePort());
  const installed = await runChild("sh", ["-ec", install], { cwd: home, env, timeoutMs: COMMAND_LIMIT_MS });
  if (installed.code !== 0) return ["getting started by hand: installs", installed.output];
  const folder = path.join(home, "dots");
  writeFileSync(path.join(folder, "index.html"), html);
  writeFileSync(path.join(folder, "main.ts"), code.replace(":8787", `:${port}`));
  const words = (/** @type {string} */ line) => line.trim().split(" ");
  const meeting = await running(folder, [...words(server), "--port", port], /listening on (http:\S+)/);
  try {
    const dev = await running(folder, words(page), /Local:\s+(http:\S+)/);
    try {
      return ["getting started by hand: two browsers see each other's dot move", await meet(pages, dev.url)];
    } finally {
      await dev.stop();
    }
  } finally {
    await meeting.stop();
  }
}

/** @param {import("@playwright/test").Browser} browser @returns {Promise<Page[]>} pages of two players */
const pairOf = (browser) => Promise.all([browser.newPage(), browser.newPage()]);

/**
 * Makes a game of a starter: it compiles and builds, and two browsers meet on its page.
 * @param {string} home @param {string} name @param {Awaited<ReturnType<typeof openBrowsers>>} browsers
 * @param {Env} env @returns {Promise<readonly [string, string | undefined]>}
 */
async function starter(home, name, { browsers: [chromium], pages: both }, env) {
  await npm(home, ["create", "--yes", "paceline@latest", name, "--", "--template", name], env);
  const game = path.join(home, name);
  await npm(game, ["install"], env);
  const typed = await runChild(process.execPath, [binOf("typescript", "tsc"), "-p", game]);
  if (typed.code !== 0) return [`${name}: compiles`, typed.output];
  await npm(game, ["run", "build"]);
  const dev = await running(game, ["npm", "run", "dev"], /Local:\s+(http:\S+)/);
  // Firefox has no WebGL on a machine without a display.
  const pages = WITH_WEBGL.has(name) && chromium ? await pairOf(chromium) : both;
  try {
    for (const page of pages) await page.goto(dev.url);
    const read = () => Promise.all(pages.map((page) => page.locator("#status").innerText()));
    const areTwo = async () => (await read()).every((text) => text.includes("2 players"));
    const fault = (await becomes(areTwo)) ? undefined : `the pages say: ${(await read()).join(" | ")}`;
    return [`${name}: builds, and two browsers meet on its page`, fault];
  } finally {
    await Promise.all(pages.map((page) => page.goto("about:blank")));
    await dev.stop();
  }
}

/** @param {import("../markdown.mjs").Fence[]} fences @param {string} wanted @returns {string[]} the code in that language */
function codeIn(fences, wanted) {
  return fences.filter(({ language }) => language === wanted).map(({ code }) => code);
}

/**
 * @param {string} game @param {Map<string, string>} integrities @returns {string | undefined} the package
 * that is missing or comes from elsewhere
 */
function strangerIn(game, integrities) {
  const { packages } = JSON.parse(readFileSync(path.join(game, "package-lock.json"), "utf8"));
  const installed = new Map(
    Object.entries(packages).map(([at, { integrity }]) => [at.replace("node_modules/", ""), integrity]),
  );
  for (const name of ["paceline", "@paceline/client", "@paceline/vite-plugin"])
    if (!installed.has(name)) return `${name} is not installed`;
  return [...integrities].find(
    ([name, integrity]) => installed.has(name) && installed.get(name) !== integrity,
  )?.[0];
}

/** @returns {Promise<import("./outcome.mjs").Outcome>} */
export async function firstHours() {
  if (!executableOf("chromium") || !executableOf("firefox"))
    return skip("Chromium and Firefox have to be installed");
  return withPacked(async (tarballs, target) => {
    const home = path.join(target, "home");
    mkdirSync(home);
    const registry = await localRegistry(tarballs);
    const browsers = await openBrowsers();
    // An empty cache, as a newcomer has.
    const env = {
      npm_config_registry: registry.url,
      npm_config_cache: path.join(target, "cache"),
      npm_config_audit: "false",
    };
    const checks = [];
    try {
      for (const template of ["canvas", "authority"])
        checks.push(...(await firstHour(home, template, browsers.pages, { env, registry })));
      checks.push(await byHand(home, browsers.pages, env));
      for (const name of starters()) checks.push(await starter(home, name, browsers, env));
    } finally {
      await closeBrowsers(browsers);
      registry.stop();
    }
    return outcome(checks);
  });
}
