/** `pnpm build`: the packages (incrementally), then the apps' own builds. */
import { pathToFileURL } from "node:url";
import { runChild } from "./children.mjs";
import { binOf, pnpm, ROOT } from "./pnpm.mjs";

/** @returns {Promise<boolean>} */
export async function buildAll() {
  const startedMs = performance.now();
  const packages = await runChild(process.execPath, [binOf("typescript", "tsc"), "-b"], { cwd: ROOT });
  if (packages.code !== 0) {
    console.error(`${packages.output}Building the packages failed; the lines above say where.`);
    return false;
  }
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
