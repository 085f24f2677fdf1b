/**
 * Measures a player's download in a real game: Vite, esbuild and webpack build it with the packed packages; a
 * WebSocket player of
 * a room without an authority plays in Chromium, and the browser counts the bytes.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { executableOf } from "../browsers.mjs";
import { endChild, startChild } from "../children.mjs";
import { ROOT } from "../pnpm.mjs";
import { outcome } from "./outcome.mjs";
import { becomes, npmInstall, withInstalled } from "./tarballs.mjs";

export const WEBPACK = "webpack@5.112.2";
/** Goals and budgets: compressed bytes of JavaScript. */
const ENTRY = { goalBytes: 28_000, budgetBytes: 17_800 };
const PLAYER = { goalBytes: 48_000, budgetBytes: 100_200 };
const MAX_ERROR_BYTES = 3000;
/** Round trip of every HTTP answer. Opening the WebSocket takes two. */
const RTT_MS = 50;

const GAME = `
import { Client, defineEntity, vec2 } from "@paceline/client";
const Car = defineEntity("car", { position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }) });
const client = new Client(location.origin, { profile: "racing", transports: ["websocket"] });
const room = await client.joinOrCreate("race");
const joinedMs = performance.now();
const car = room.spawn(Car);
const seen = new Promise((resolve) => room.onSpawn(Car, (other) => { if (!other.isMine) resolve(performance.now()); }));
setInterval(() => { car.position.x = Math.sin(performance.now() / 1000); room.advance(); }, 16);
const firstStateMs = await seen;
await new Promise((resolve) => setTimeout(resolve, 3000));
const scripts = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"));
const files = scripts.map(({ name, encodedBodySize, startTime }) => ({ name: new URL(name).pathname, bytes: encodedBodySize, startMs: startTime }));
await fetch("/report", { method: "POST", body: JSON.stringify({ joinedMs, firstStateMs, files }) });
`;
export const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';

/**
 * @typedef {{ joinedMs: number, firstStateMs: number, files: { name: string, bytes: number, startMs: number }[] }} Report
 * @typedef {{ name: string, folder: string, entryBytes: number }} Built
 */

/** @param {string | Uint8Array} code */
const compressed = (code) => gzipSync(code, { level: 9 }).byteLength;

/** @param {string} folder where it is installed @param {string} name */
function bundler(folder, name) {
  const { resolve } = createRequire(path.join(folder, "package.json"));
  return import(pathToFileURL(resolve(name)).href);
}

/** @param {Map<string, readonly string[]>} imports by chunk @param {string} first @returns {string[]} what loads with it */
function staticGraph(imports, first) {
  const reached = new Set([first]);
  for (const name of reached) for (const next of imports.get(name) ?? []) reached.add(next);
  return [...reached];
}

/** @param {string} game @param {string} source @param {string} out @returns {Promise<Built>} */
export async function withEsbuild(game, source, out) {
  const { metafile } = await esbuild.build({
    entryPoints: [path.join(game, source)],
    absWorkingDir: game,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    outdir: out,
    metafile: true,
    logLevel: "error",
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === source) ?? "";
  const imports = new Map(
    Object.entries(outputs).map(([name, { imports: all }]) => [
      name,
      all.filter(({ kind, external }) => kind === "import-statement" && !external).map(({ path: to }) => to),
    ]),
  );
  const graph = staticGraph(imports, entry).map((name) => readFileSync(path.join(game, name)));
  const script = `/${path.basename(entry)}`;
  writeFileSync(path.join(out, "index.html"), `${PAGE}<script type="module" src="${script}"></script>`);
  return {
    name: "esbuild",
    folder: out,
    entryBytes: graph.reduce((sum, code) => sum + compressed(code), 0),
  };
}

/** @param {string} game @param {string} source @param {string} out @returns {Promise<Built>} */
export async function withVite(game, source, out) {
  const { build } = await bundler(path.join(ROOT, "apps/demo-game"), "vite");
  writeFileSync(path.join(game, "index.html"), `${PAGE}<script type="module" src="/${source}"></script>`);
  const before = process.env["NODE_ENV"];
  const { output } = await build({
    root: game,
    configFile: false,
    logLevel: "error",
    build: { outDir: out, target: "es2022", emptyOutDir: true },
  });
  // Vite sets it to "production" for the whole process, where npm then leaves out what a game builds with.
  if (before === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = before;
  /** @type {{ type: string, fileName: string, code: string, isEntry: boolean, imports: string[] }[]} */
  const chunks = output.filter((/** @type {{ type: string }} */ { type }) => type === "chunk");
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName ?? "";
  const graph = new Set(staticGraph(imports, entry));
  const codes = chunks.filter(({ fileName }) => graph.has(fileName)).map(({ code }) => compressed(code));
  return { name: "Vite", folder: out, entryBytes: codes.reduce((sum, bytes) => sum + bytes, 0) };
}

/** @param {string} game @param {string} source @param {string} out @returns {Promise<Built>} */
export async function withWebpack(game, source, out) {
  const { default: webpack } = await bundler(game, "webpack");
  const options = {
    mode: "production",
    context: game,
    entry: `./${source}`,
    output: { path: out, filename: "main.js", chunkFilename: "chunk-[id].js" },
    experiments: { topLevelAwait: true },
    performance: false,
  };
  await new Promise((resolve, reject) => {
    webpack(options, (/** @type {unknown} */ error, /** @type {any} */ stats) => {
      if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString("errors-only")));
      else resolve(undefined);
    });
  });
  return { name: "webpack", folder: out, entryBytes: compressed(readFileSync(path.join(out, "main.js"))) };
}

/**
 * Serves built files, and a relay beside them.
 * @param {string} folder @param {typeof import("../../packages/relay/dist/index.js")} relays
 */
export async function serve(folder, { createRelay }) {
  const relay = createRelay({ rooms: { race: { maxPlayers: 4 } } });
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(js|html)$/.test(name))
      .map((name) => [`/${name.split(path.sep).join("/")}`, readFileSync(path.join(folder, name))]),
  );
  /** @type {{ report?: Report }} */
  const page = {};
  /** @type {import("node:http").RequestListener} */
  const answer = (request, response) => {
    const name = request.url === "/" ? "/index.html" : (request.url ?? "");
    const file = files.get(name);
    if (file) {
      const type = name.endsWith(".js") ? "text/javascript" : "text/html";
      response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
      response.end(gzipSync(file, { level: 9 }));
    } else if (name === "/report") {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        page.report = JSON.parse(body);
        response.end();
      });
    } else if (!relay.handleRequest(request, response)) response.writeHead(404).end();
  };
  const server = createServer((request, response) => void setTimeout(answer, RTT_MS, request, response));
  server.on("upgrade", (...upgrade) => void setTimeout(() => relay.handleUpgrade(...upgrade), 2 * RTT_MS));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const stop = async () => {
    await relay.stop();
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, page, stop };
}

/** @param {string} game @param {string} folder of the build @returns {Promise<Report>} the page's report */
async function playIn(game, folder) {
  /** @param {string} name */
  const installed = (name) => import(pathToFileURL(path.join(game, "node_modules/@paceline", name)).href);
  const { Client, defineEntity, vec2 } = await installed("client/dist/index.js");
  const { NodeWebSocket } = await installed("client/dist/node.js");
  const { url, page, stop } = await serve(folder, await installed("relay/dist/index.js"));
  const profile = mkdtempSync(path.join(os.tmpdir(), "paceline-chromium-"));
  const client = new Client(url, { profile: "racing", transports: ["websocket"], webSocket: NodeWebSocket });
  const room = await client.joinOrCreate("race");
  const position = vec2({ range: [-100, 100], precision: 0.01, unit: "m" });
  const car = room.spawn(defineEntity("car", { position }));
  const driving = setInterval(() => {
    car.position.x = Math.cos(performance.now() / 1000);
    room.advance();
  }, 16);
  const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    `--user-data-dir=${profile}`,
  ];
  const browser = startChild(executableOf("chromium") ?? "", [...flags, url], { stdio: "ignore" });
  try {
    if (await becomes(() => page.report !== undefined)) return /** @type {Report} */ (page.report);
    throw new Error("the page did not report in time");
  } finally {
    await endChild(browser, "SIGKILL");
    clearInterval(driving);
    await room.leave();
    await stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {string} what @param {number} bytes @param {{ goalBytes: number, budgetBytes: number }} limits */
function judged(what, bytes, { goalBytes, budgetBytes }) {
  const reached = bytes <= goalBytes ? "reached" : "not reached";
  console.log(`${what}: ${bytes} bytes gzip; budget ${budgetBytes}; goal ${goalBytes}, ${reached}`);
  return /** @type {const} */ ([what, bytes <= budgetBytes ? undefined : `${bytes} of ${budgetBytes} bytes`]);
}

/** @param {string} game @returns {Promise<import("./outcome.mjs").Outcome>} */
async function measure(game) {
  const { code, output } = await npmInstall(game, [WEBPACK]);
  if (code !== 0) throw new Error(`npm could not install webpack:\n${output}`);
  writeFileSync(path.join(game, "game.js"), GAME);
  writeFileSync(
    path.join(game, "errors.js"),
    'import { NetError } from "@paceline/client";\nglobalThis.isOurs = (error) => error instanceof NetError;\n',
  );
  const checks = [];
  for (const build of [withVite, withEsbuild, withWebpack]) {
    const out = path.join(game, `out-${build.name}-errors`);
    mkdirSync(out);
    const { name, entryBytes } = await build(game, "errors.js", out);
    const limits = { goalBytes: MAX_ERROR_BYTES, budgetBytes: MAX_ERROR_BYTES };
    checks.push(judged(`${name}: import { NetError }`, entryBytes, limits));
  }
  const skipped = executableOf("chromium")
    ? []
    : ["Chromium is not installed: nobody counted what a page loads"];
  for (const build of [withVite, withEsbuild]) {
    const out = path.join(game, `out-${build.name}`);
    mkdirSync(out);
    const { name, folder, entryBytes } = await build(game, "game.js", out);
    checks.push(judged(`${name}: the entry's static graph`, entryBytes, ENTRY));
    if (skipped.length > 0) continue;
    const { files, joinedMs, firstStateMs } = await playIn(game, folder);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    checks.push(judged(`${name}: what a WebSocket player has downloaded`, bytes, PLAYER));
    console.log(
      `${name}: in the room after ${joinedMs.toFixed(0)} ms, first state after ${firstStateMs.toFixed(0)} ms`,
    );
    for (const file of files)
      console.log(`  ${file.name}: ${file.bytes}, from ${file.startMs.toFixed(0)} ms`);
  }
  return { ...outcome(checks), skipped };
}

export const downloads = () => withInstalled(measure);
