/** `pnpm bench NAME [options]`: bundles the laboratory's `bench-NAME.ts` from source and runs it in this terminal. */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

const LAB = path.join(ROOT, "apps/lab/src");
const [name = "", ...options] = process.argv.slice(2);
const entry = path.join(LAB, `bench-${name}.ts`);

if (!/^[a-z-]+$/.test(name) || !existsSync(entry)) {
  const names = readdirSync(LAB).flatMap((file) => /^bench-(.+)\.ts$/.exec(file)?.[1] ?? []);
  console.error(`pnpm bench NAME [options]; NAME is one of ${names.join(", ")}. --help after it says more.`);
  process.exit(2);
}
const bundle = path.join(ROOT, `artefacts/bench-${name}.mjs`);
await build({
  entryPoints: [entry],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  conditions: ["@paceline/source"],
  // What is written in CommonJS asks for Node's own modules by `require`.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "error",
});
const child = spawn(process.execPath, [bundle, ...options], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill());
child.on("exit", (code) => (process.exitCode = code ?? 1));
