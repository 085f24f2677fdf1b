/** `pnpm attack [options]`: bundles the laboratory's attack suite and runs it against the server that `pnpm build` made. */
import "./node-version.mjs";
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { buildBrowserProcess } from "./browser-process.mjs";
import { endChildrenOnSignals, runChild } from "./children.mjs";
import { ROOT } from "./pnpm.mjs";

const SOURCE = path.join(ROOT, "apps/lab/src/attack");
// Inside the lab's folder, so that Node finds its dependencies.
const TARGET = path.join(ROOT, "apps/lab/dist/attack");

/** Bundles the suite's processes from source. */
async function buildProcesses() {
  await build({
    entryPoints: ["run-attack", "honest-process", "hostile-process"].map((name) =>
      path.join(SOURCE, `${name}.ts`),
    ),
    outdir: TARGET,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    external: ["ws", "node-datachannel", "msgpackr"],
    sourcemap: true,
    logLevel: "error",
  });
}

/** Bundles rooms for the built server. They use its packages, and not second copies. */
async function buildRooms() {
  await build({
    entryPoints: [path.join(SOURCE, "game-rooms.ts")],
    outdir: TARGET,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["@paceline/*"],
    logLevel: "error",
  });
}

async function buildPage() {
  const outdir = path.join(TARGET, "page");
  mkdirSync(outdir, { recursive: true });
  copyFileSync(path.join(SOURCE, "page/index.html"), path.join(outdir, "index.html"));
  await build({
    entryPoints: [path.join(SOURCE, "page/honest-page.ts")],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    conditions: ["@paceline/source"],
    logLevel: "error",
  });
}

endChildrenOnSignals(130);
await Promise.all([buildProcesses(), buildRooms(), buildPage(), buildBrowserProcess()]);
const entry = path.join(TARGET, "run-attack.mjs");
const { code } = await runChild(process.execPath, ["--enable-source-maps", entry, ...process.argv.slice(2)], {
  cwd: ROOT,
  echo: true,
  // The run ends when the channel closes, which it does if this process is killed.
  stdio: ["ignore", "pipe", "pipe", "ipc"],
});
process.exitCode = code;
