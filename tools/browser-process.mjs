/** Bundles the program that drives a browser for an experiment, also inside a namespace, into one file. */
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

export async function buildBrowserProcess() {
  await build({
    entryPoints: [path.join(ROOT, "e2e/browsers/browser-process.ts")],
    outfile: path.join(ROOT, "e2e/dist/browser-process.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@playwright/test"],
    logLevel: "error",
  });
}
