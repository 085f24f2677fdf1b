/** Builds a game as its developer would: with Vite, esbuild or webpack. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { ROOT } from "../pnpm.mjs";
import { compressed } from "./page-server.mjs";

export const WEBPACK = "webpack@5.112.2";
const HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';

/** @typedef {{ name: string, entryBytes: number }} Built entryBytes: gzip, of the scripts that load with the entry */

/** @param {string} code of a module @returns {string} an HTML page with it */
export const pageOf = (code) => `${HEAD}<script type="module">${code}</script>`;

/** @param {string} address of a module @returns {string} an HTML page that loads it */
const pageLoading = (address) => `${HEAD}<script type="module" src="${address}"></script>`;

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
  writeFileSync(path.join(out, "index.html"), pageLoading(script));
  return { name: "esbuild", entryBytes: graph.reduce((sum, code) => sum + compressed(code), 0) };
}

/** @param {string} game @param {string} source @param {string} out @returns {Promise<Built>} */
export async function withVite(game, source, out) {
  const { build } = await bundler(path.join(ROOT, "apps/demo-game"), "vite");
  writeFileSync(path.join(game, "index.html"), pageLoading(`/${source}`));
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
  return { name: "Vite", entryBytes: codes.reduce((sum, bytes) => sum + bytes, 0) };
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
  writeFileSync(path.join(out, "index.html"), pageLoading("/main.js"));
  return { name: "webpack", entryBytes: compressed(readFileSync(path.join(out, "main.js"))) };
}
