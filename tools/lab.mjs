/**
 * `pnpm lab NAME [options]`: runs an experiment of the laboratory, with real browsers and sockets on
 * simulated networks.
 */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { buildBrowserProcess } from "./browser-process.mjs";
import { runChild } from "./children.mjs";
import { binOf, ROOT } from "./pnpm.mjs";

const LAB = path.join(ROOT, "apps/lab");

/** Builds the page of the experiments, in several modules, since the SDK loads code on demand. */
async function buildPage() {
  const outdir = path.join(LAB, "dist/page");
  mkdirSync(outdir, { recursive: true });
  copyFileSync(path.join(LAB, "src/page/index.html"), path.join(outdir, "index.html"));
  await build({
    entryPoints: [path.join(LAB, "src/page/probe.ts")],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    conditions: ["@paceline/source"],
    logLevel: "error",
  });
}

/** Compiles the laboratory and the servers that it starts. */
async function compile() {
  const { code, output } = await runChild(
    process.execPath,
    [binOf("typescript", "tsc"), "-b", "apps/lab", "apps/relay-server"],
    { cwd: ROOT },
  );
  if (code === 0) return true;
  console.error(output);
  return false;
}

const [name = "", ...options] = process.argv.slice(2);
if (!/^[a-z-]+$/.test(name) || !existsSync(path.join(LAB, `src/lab-${name}.ts`))) {
  const names = readdirSync(path.join(LAB, "src")).flatMap((file) => /^lab-(.+)\.ts$/.exec(file)?.[1] ?? []);
  console.error(`pnpm lab NAME [options]; NAME is one of ${names.join(", ")}.`);
  process.exit(2);
}
if (!(await compile())) process.exit(1);
await Promise.all([buildPage(), buildBrowserProcess()]);
const entry = path.join(LAB, `dist/lab-${name}.js`);
const child = spawn(process.execPath, ["--enable-source-maps", entry, ...options], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill());
child.on("exit", (code) => (process.exitCode = code ?? 1));
