/** `pnpm bots [options]`: bundles the demo's bots from source and runs them; `pnpm build` makes the server that they start. */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

const GAME = path.join(ROOT, "apps/demo-game");
const target = path.join(GAME, "dist-drivers/bots.mjs");
await build({
  entryPoints: [path.join(GAME, "src/bots/main.ts")],
  outfile: target,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["@paceline/source"],
  // Some bundled code still loads Node's modules by `require`.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
  external: ["node-datachannel"],
  logLevel: "error",
});
const child = spawn(process.execPath, ["--enable-source-maps", target, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill());
child.on("exit", (code) => (process.exitCode = code ?? 1));
