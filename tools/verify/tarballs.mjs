/**
 * Checks the packages as npm gets them: packed, installed in an empty folder, with the documents' own
 * examples.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { endChild, runChild, startChild } from "../children.mjs";
import { binOf, pnpm, ROOT } from "../pnpm.mjs";
import { snippetsOf } from "../snippets.mjs";
import { outcome } from "./outcome.mjs";

const READY_WITHIN_MS = 20_000;
const INSTALL_LIMIT_MS = 300_000;

/** @returns {string[]} */
export function publishableFolders() {
  return readdirSync(path.join(ROOT, "packages"))
    .map((name) => path.join(ROOT, "packages", name))
    .filter((folder) => !JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")).private);
}

/** @returns {Promise<number>} a free port of the loopback interface */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * Gives `work` the packed packages and a folder that is removed afterwards.
 * @template T @param {(tarballs: string[], target: string) => Promise<T>} work @returns {Promise<T>}
 */
export async function withPacked(work) {
  const target = mkdtempSync(path.join(os.tmpdir(), "paceline-packed-"));
  try {
    const tarballs = [];
    for (const home of publishableFolders()) {
      const packed = path.join(target, path.basename(home));
      mkdirSync(packed);
      const { code, output } = await pnpm(["pack", "--pack-destination", packed], { cwd: home });
      if (code !== 0) throw new Error(`packing ${path.basename(home)} failed:\n${output}`);
      for (const file of readdirSync(packed)) {
        tarballs.push(path.join(packed, file));
        await refuseWorkspaceRanges(path.join(packed, file));
      }
    }
    return await work(tarballs, target);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

/**
 * Gives `work` a folder into which npm has installed the packed packages, and removes it afterwards.
 * @template T @param {(folder: string) => Promise<T>} work @returns {Promise<T>}
 */
export function withInstalled(work) {
  return withPacked(async (tarballs, target) => {
    const folder = path.join(target, "game");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    const installed = await npmInstall(folder, tarballs);
    if (installed.code !== 0) throw new Error(`npm could not install the tarballs:\n${installed.output}`);
    return work(folder);
  });
}

/** The manifest of a packed package. @param {string} tarball */
export async function manifestIn(tarball) {
  const read = await runChild("tar", ["-xOf", tarball, "package/package.json"]);
  if (read.code !== 0) throw new Error(`${tarball} has no package.json:\n${read.output}`);
  return JSON.parse(read.output);
}

/**
 * Throws if a manifest in the tarball, the package's own or that of a template, uses the "workspace:"
 * protocol, which npm cannot install.
 * @param {string} tarball
 */
export async function refuseWorkspaceRanges(tarball) {
  const listed = await runChild("tar", ["-tf", tarball]);
  const manifests = listed.output.split("\n").filter((file) => path.basename(file) === "package.json");
  if (manifests.length === 0) throw new Error(`${tarball} has no package.json:\n${listed.output}`);
  const read = await runChild("tar", ["-xOf", tarball, ...manifests]);
  if (read.output.includes('"workspace:')) throw new Error(`${tarball} names a version by "workspace:"`);
}

/** @param {string} folder @param {string[]} what */
export function npmInstall(folder, what) {
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  return runChild("npm", ["install", ...flags, ...what], { cwd: folder, timeoutMs: INSTALL_LIMIT_MS });
}

/** The first example of a document. @param {string} document */
function exampleOf(document) {
  const [first] = snippetsOf(readFileSync(path.join(ROOT, document), "utf8"));
  if (first === undefined) throw new Error(`${document} has no example`);
  return first.code;
}

/**
 * Compiles like a game's own project, with the declarations of all packages, also those that no example
 * imports.
 * @param {string} folder
 */
function compile(folder) {
  const modules = publishableFolders().flatMap((home) => {
    const { name, exports = {} } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
    return Object.keys(exports).map((subpath) => name + subpath.slice(1));
  });
  const lines = modules.map((module) => `export type {} from ${JSON.stringify(module)};\n`);
  writeFileSync(path.join(folder, "all-modules.ts"), lines.join(""));
  const compilerOptions = {
    strict: true,
    target: "es2022",
    module: "nodenext",
    lib: ["es2022", "dom", "dom.iterable"],
    types: ["node"],
    typeRoots: [path.join(ROOT, "node_modules/@types")],
    outDir: "out",
  };
  writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["game.ts", "server.ts", "all-modules.ts"] }),
  );
  return runChild(process.execPath, [binOf("typescript", "tsc"), "-p", "."], { cwd: folder });
}

/** Compiles for browsers, without Node's types and newer parts of the language. @param {string} folder */
function compileForBrowsers(folder) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom"],
    types: [],
  };
  const file = path.join(folder, "tsconfig.browser.json");
  writeFileSync(file, JSON.stringify({ compilerOptions, files: ["game.ts"] }));
  return runChild(process.execPath, [binOf("typescript", "tsc"), "-p", file], { cwd: folder });
}

/** Finds declarations marked `@internal`, which games must not see. @param {string} folder */
function internals(folder) {
  const home = path.join(folder, "node_modules/@paceline");
  const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".d.ts"),
  );
  if (files.length === 0) return "no declarations";
  const telling = files.filter((file) => readFileSync(path.join(home, file), "utf8").includes("@internal"));
  return telling.length === 0 ? undefined : telling.join(", ");
}

/**
 * Starts a program that runs until it is ended, and keeps its output.
 * @param {string} folder @param {string[]} args @param {string} [binary] the runtime
 */
export function program(folder, args, binary = process.execPath) {
  const child = startChild(binary, args, { cwd: folder });
  const said = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => (said.text += text));
  }
  return { child, said };
}

/** @param {() => boolean | Promise<boolean>} isSo @returns {Promise<boolean>} */
export async function becomes(isSo) {
  for (const endMs = Date.now() + READY_WITHIN_MS; Date.now() < endMs;) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** @param {number} port */
export const answersOn = (port) => () =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Runs README's game twice, on the server of the relay's README. @param {string} folder @returns
 * {Promise<string | undefined>} the fault
 */
async function playReadme(folder) {
  const port = await freePort();
  const here = `"ws://127.0.0.1:${port}"`;
  const game = exampleOf("README.md").replace(/"wss?:\/\/[^"]+"/, here);
  const relay = exampleOf("packages/relay/README.md").replaceAll("8787", String(port));
  if (!game.includes(here) || !relay.includes(String(port)))
    return "the examples name their addresses otherwise";
  writeFileSync(path.join(folder, "game.ts"), game);
  writeFileSync(path.join(folder, "server.ts"), relay);
  const compiled = await compile(folder);
  if (compiled.code !== 0) return `README's example does not compile:\n${compiled.output}`;
  const browsers = await compileForBrowsers(folder);
  if (browsers.code !== 0) return `README's example does not compile for browsers:\n${browsers.output}`;
  const shown = internals(folder);
  if (shown !== undefined) return `declarations show what is internal: ${shown}`;
  // Node 20 has no WebSocket, and a game for browsers never imports one.
  const socket =
    'import { NodeWebSocket } from "@paceline/client/node";\nglobalThis.WebSocket ??= NodeWebSocket;\n';
  writeFileSync(path.join(folder, "socket.mjs"), socket);
  const children = [];
  try {
    const server = program(folder, ["out/server.js"]);
    children.push(server.child);
    if (!(await becomes(answersOn(port)))) return `the relay's example does not answer:\n${server.said.text}`;
    /** @type {ReturnType<typeof program>[]} */
    const players = [];
    for (let index = 0; index < 2; index += 1) {
      const player = program(folder, ["--import", "./socket.mjs", "out/game.js"]);
      children.push(player.child);
      players.push(player);
      // The game's output ends with the table of its transport.
      if (!(await becomes(() => player.said.text.includes("│"))))
        return `a player is stuck:\n${player.said.text}`;
    }
    const heard = await becomes(() => /loud: true/.test(players[0]?.said.text ?? ""));
    return heard
      ? undefined
      : `the first player never heard the second one's horn:\n${players[0]?.said.text}`;
  } finally {
    for (const child of children) await endChild(child, "SIGKILL");
  }
}

export async function tarballs() {
  const shape = await runChild(process.execPath, [path.join(ROOT, "tools/shape.mjs")], { cwd: ROOT });
  const played = await withInstalled(playReadme).catch((error) => String(error));
  return outcome([
    ["publint and arethetypeswrong find nothing", shape.code === 0 ? undefined : shape.output],
    ["npm installs the tarballs; README's example compiles, and two of it meet", played],
  ]);
}
