/** `pnpm build`: the packages (incrementally), the client and the panel for browsers, then the apps' own builds. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { runChild } from "./children.mjs";
import { binOf, pnpm, ROOT } from "./pnpm.mjs";
import { removeStaleOutput } from "./stale-output.mjs";

const PACKAGES = path.join(ROOT, "packages");

/** Projects that run from `dist`; their references are built with them. A plain `tsc -b` would check the tests too. */
export const PROJECTS = [
  "packages/client",
  "packages/panel",
  "packages/testkit",
  "packages/vite-plugin",
  "packages/create-paceline",
  "apps/relay-server",
];

/** @returns {Promise<boolean>} */
export async function buildAll() {
  const startedMs = performance.now();
  const tsc = binOf("typescript", "tsc");
  const packages = await runChild(process.execPath, [tsc, "-b", ...PROJECTS], { cwd: ROOT });
  if (packages.code !== 0) {
    console.error(`${packages.output}Building the packages failed; the lines above say where.`);
    return false;
  }
  for (const name of readdirSync(PACKAGES)) removeStaleOutput(path.join(PACKAGES, name));
  // Imported here, because `npm test` imports this file before anything is installed.
  const { linkClient, linkPanel } = await import("./link.mjs");
  await linkClient();
  await linkPanel();
  const game = await pnpm(["--filter", "./apps/*", "--if-present", "run", "build"]);
  if (game.code !== 0) {
    console.error(`${game.output}Building the game failed; the lines above say where.`);
    return false;
  }
  console.log(`Built in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = (await buildAll()) ? 0 : 1;
}
