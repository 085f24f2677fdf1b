/**
 * `pnpm bench NAME [options]`: bundles the laboratory's `bench-NAME.ts` from source and runs it in this
 * terminal.
 * `pnpm bench --adapter FILE` writes the codec as one module for peerbench, an external comparison;
 * `--room-adapter FILE` the
 * rooms, `--relay-adapter FILE` the relay.
 */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { executableOf } from "./browsers.mjs";
import { buildFirstStatePages } from "./first-state-pages.mjs";
import { pnpm, ROOT } from "./pnpm.mjs";

/** Benchmarks that need the rivals' folder. */
const RIVALRIES = ["arena", "client", "connect", "first-state", "room"];
const LAB = path.join(ROOT, "apps/lab");

/** @param {string} entry @param {string} outfile */
async function bundle(entry, outfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    // Not bundled: their users install them from npm.
    external: ["@colyseus/schema", "msgpackr", "fast-check", "ws", "node-datachannel"],
    logLevel: "error",
  });
}

/** Names of the benchmark's other processes. @param {string} name */
function processesOf(name) {
  const folder = path.join(LAB, "src", name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => /^(.+-process)\.ts$/.exec(file)?.[1] ?? []);
}

/**
 * Installs the libraries for comparison, in a folder of their own: those who do not compare need not have
 * them.
 */
async function installRivals() {
  const cwd = path.join(LAB, "rivals");
  // Colyseus requires Node 22 but also runs on 20.
  const flags = ["--frozen-lockfile", "--prefer-offline", "--config.engine-strict=false"];
  const { code, output } = await pnpm(["install", ...flags], { cwd });
  if (code !== 0) console.error(`${output}\nWhat is compared cannot be installed; the lines above say why.`);
}

/**
 * Bundles the pages of `pnpm bench client`: Paceline's in modules, since the SDK loads code on demand, and
 * the rival's SDK as a
 * script.
 */
async function bundlePages() {
  const outdir = path.join(LAB, "dist/client");
  /** @type {import("esbuild").BuildOptions} */
  const common = { bundle: true, platform: "browser", target: "es2022", logLevel: "error" };
  await build({
    ...common,
    entryPoints: ["paceline-page", "colyseus-page"].map((page) =>
      path.join(LAB, `src/client/page/${page}.ts`),
    ),
    outdir,
    splitting: true,
    format: "esm",
    conditions: ["@paceline/source"],
  });
  await build({
    ...common,
    stdin: { contents: `export * from "@colyseus/sdk"`, resolveDir: path.join(LAB, "rivals") },
    outfile: path.join(outdir, "colyseus-sdk.js"),
    format: "iife",
    globalName: "colyseus",
  });
}

/** @param {string} name @param {string[]} options */
function isCapacityWithRivals(name, options) {
  const only = options[options.indexOf("--only") + 1];
  return name === "capacity" && (!options.includes("--only") || only?.split(",").includes("colyseus"));
}

/** @param {string} name @param {string[]} options */
async function run(name, options) {
  const entry = path.join(LAB, `src/bench-${name}.ts`);
  if (!/^[a-z-]+$/.test(name) || !existsSync(entry)) {
    const names = readdirSync(path.join(LAB, "src")).flatMap(
      (file) => /^bench-(.+)\.ts$/.exec(file)?.[1] ?? [],
    );
    console.error(`pnpm bench NAME [options]; NAME is one of ${names.join(", ")}.`);
    process.exit(2);
  }
  // Inside the lab's folder, so that Node finds its dependencies.
  const target = path.join(LAB, `dist/bench-${name}.mjs`);
  await bundle(entry, target);
  for (const file of processesOf(name)) {
    await bundle(path.join(LAB, `src/${name}/${file}.ts`), path.join(LAB, `dist/${name}/${file}.mjs`));
  }
  const isRelayWithRivals = name === "relay" && !options.includes("--quick");
  if (RIVALRIES.includes(name) || isRelayWithRivals || isCapacityWithRivals(name, options))
    await installRivals();
  if (name === "client") await bundlePages();
  if (name === "first-state") await buildFirstStatePages(options);
  const child = spawn(process.execPath, ["--enable-source-maps", target, ...options], {
    stdio: "inherit",
    env: { ...process.env, PACELINE_CHROMIUM: executableOf("chromium") ?? "" },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill());
  child.on("exit", (code) => (process.exitCode = code ?? 1));
}

const [name = "", ...options] = process.argv.slice(2);
/** @type {Record<string, string>} */
const ADAPTERS = {
  "--adapter": "peerbench/adapter",
  "--room-adapter": "peerbench/room-adapter",
  "--relay-adapter": "peerbench/relay-adapter",
};
const adapter = ADAPTERS[name];
if (adapter !== undefined && options[0] !== undefined) {
  await bundle(path.join(LAB, `src/${adapter}.ts`), options[0]);
} else await run(name, options);
