/** `pnpm bench NAME`: bundles the lab, which imports the packages from source, and runs it. */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

const LAB = path.join(ROOT, "apps/lab");
// Beside the lab, so that Node finds its dependencies.
const target = mkdtempSync(path.join(LAB, ".bench-"));
const outfile = path.join(target, "main.mjs");
try {
  await build({
    entryPoints: [path.join(LAB, "src/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    external: ["@colyseus/schema", "msgpackr", "fast-check"],
    logLevel: "warning",
  });
  const flags = ["--expose-gc", "--max-semi-space-size=128", "--enable-source-maps"];
  const child = spawn(process.execPath, [...flags, outfile, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exitCode = await new Promise((resolve) => {
    child.once("exit", (code) => {
      resolve(code ?? 1);
    });
  });
} finally {
  rmSync(target, { recursive: true });
}
