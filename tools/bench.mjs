/**
 * `pnpm bench NAME [options]`: bundles the laboratory's `bench-NAME.ts` from source and runs it in this terminal.
 * `pnpm bench --adapter FILE` writes the codec as one module for a comparison elsewhere, `--room-adapter FILE` the rooms.
 */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

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
    // Measured as their users install them, not as we would bundle them.
    external: ["@colyseus/schema", "msgpackr", "fast-check", "ws", "node-datachannel"],
    logLevel: "error",
  });
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
  // Inside the lab, so that Node finds its dependencies.
  const target = path.join(LAB, `dist/bench-${name}.mjs`);
  await bundle(entry, target);
  const child = spawn(process.execPath, ["--enable-source-maps", target, ...options], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill());
  child.on("exit", (code) => (process.exitCode = code ?? 1));
}

const [name = "", ...options] = process.argv.slice(2);
/** @type {Record<string, string>} */
const ADAPTERS = { "--adapter": "peerbench-adapter", "--room-adapter": "peerbench-room-adapter" };
const adapter = ADAPTERS[name];
if (adapter !== undefined && options[0] !== undefined) {
  await bundle(path.join(LAB, `src/${adapter}.ts`), options[0]);
} else await run(name, options);
