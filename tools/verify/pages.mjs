/**
 * Checks the packed client in pages built by Vite, esbuild and webpack, and in one without a bundler:
 * Chromium and Firefox open
 * each, and the two players connect directly over WebRTC.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { executableOf } from "../browsers.mjs";
import { closeBrowsers, openBrowsers } from "./browser-pair.mjs";
import { pageOf, WEBPACK, withEsbuild, withVite, withWebpack } from "./bundlers.mjs";
import { outcome, skip } from "./outcome.mjs";
import { servePage } from "./page-server.mjs";
import { becomes, npmInstall, withInstalled } from "./tarballs.mjs";

const GAME = `
import { Client, defineEntity, vec2 } from "@paceline/client";
const Car = defineEntity("car", { position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }) });
const room = await new Client(location.origin, { profile: "racing" }).joinOrCreate("race");
const car = room.spawn(Car);
room.loop(() => {
  car.position.x = Math.sin(performance.now() / 1000);
  const hasMoved = [...room.entities(Car)].some(({ isMine, shown }) => !isMine && shown.position.x !== 0);
  document.title = hasMoved ? room.peers.map(({ path }) => path).join() : "alone";
});
`;

/**
 * Builds the game as a plain page beside a copy of the client's chunks. @param {string} game @param {string}
 * _source @param {string} out
 */
async function withoutBundler(game, _source, out) {
  const chunks = path.join(game, "node_modules/@paceline/client/dist/linked");
  cpSync(chunks, path.join(out, "paceline"), { recursive: true });
  const code = GAME.replace("@paceline/client", "./paceline/index.js");
  writeFileSync(path.join(out, "index.html"), pageOf(code));
  return { name: "no bundler" };
}

/** @param {string} game @param {string} folder @param {readonly import("@playwright/test").Page[]} pages */
async function meet(game, folder, pages) {
  const installed = path.join(game, "node_modules/@paceline/relay/dist/index.js");
  const { createRelay } = await import(pathToFileURL(installed).href);
  const relay = createRelay({ rooms: { race: { maxPlayers: 4 } } });
  const { url, stop } = await servePage(folder, relay);
  try {
    await Promise.all(pages.map((page) => page.goto(url)));
    const titles = () => Promise.all(pages.map((page) => page.title()));
    const met = await becomes(async () => (await titles()).every((title) => title === "direct"));
    return met ? undefined : `the pages are: ${(await titles()).join(" and ")}`;
  } finally {
    await Promise.all(pages.map((page) => page.goto("about:blank")));
    await relay.stop();
    stop();
  }
}

/** @param {string} game @returns {Promise<import("./outcome.mjs").Outcome>} */
async function play(game) {
  const { code, output } = await npmInstall(game, [WEBPACK]);
  if (code !== 0) throw new Error(`npm could not install webpack:\n${output}`);
  writeFileSync(path.join(game, "page.js"), GAME);
  const native = path.join(game, "node_modules/msgpackr-extract");
  /** @type {[string, string | undefined][]} */
  const checks = [["no native part of msgpackr is installed", existsSync(native) ? native : undefined]];
  const browsers = await openBrowsers();
  try {
    for (const build of [withVite, withEsbuild, withWebpack, withoutBundler]) {
      const out = path.join(game, `pages-${checks.length}`);
      mkdirSync(out);
      const { name } = await build(game, "page.js", out);
      checks.push([`${name}: two players meet directly`, await meet(game, out, browsers.pages)]);
    }
  } finally {
    await closeBrowsers(browsers);
  }
  return outcome(checks);
}

/** @returns {Promise<import("./outcome.mjs").Outcome>} */
export async function pages() {
  if (!executableOf("chromium") || !executableOf("firefox"))
    return skip("Chromium and Firefox have to be installed");
  return withInstalled(play);
}
