/**
 * `pnpm bench NAME`: bundles the lab, which imports the packages from source, and runs it. `pnpm bench --adapter FILE`
 * writes the codec as one module for a comparison elsewhere.
 */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

const LAB = path.join(ROOT, "apps/lab");

/** @param {string} entry @param {string} outfile */
async function bundle(entry, outfile) {
  await build({
    entryPoints: [path.join(LAB, "src", entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    external: ["@colyseus/schema", "msgpackr", "fast-check"],
    logLevel: "warning",
  });
}

/** @param {string[]} args @returns {Promise<number>} */
async function run(args) {
  // Inside the lab, so that Node finds its dependencies.
  const dist = path.join(LAB, "dist");
  mkdirSync(dist, { recursive: true });
  const target = mkdtempSync(path.join(dist, "bench-"));
  try {
    await bundle("main.ts", path.join(target, "main.mjs"));
    const flags = ["--enable-source-maps"];
    const child = spawn(process.execPath, [...flags, path.join(target, "main.mjs"), ...args], {
      stdio: "inherit",
    });
    return await new Promise((resolve) => {
      child.once("exit", (code) => {
        resolve(code ?? 1);
      });
    });
  } finally {
    rmSync(target, { recursive: true });
  }
}

const args = process.argv.slice(2);
if (args[0] === "--adapter" && args[1] !== undefined) await bundle("peerbench-adapter.ts", args[1]);
else process.exitCode = await run(args);
