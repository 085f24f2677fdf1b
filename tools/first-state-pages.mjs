/**
 * Builds the pages of `pnpm bench first-state`, with Vite: README's game of this version and of the version before,
 * and the smallest page with a room of Colyseus.
 */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runChild } from "./children.mjs";
import { binOf, pnpm, ROOT } from "./pnpm.mjs";
import { withVite } from "./verify/bundlers.mjs";
import { FIRST_STATE, meshGame } from "./verify/documented-games.mjs";

const LAB = path.join(ROOT, "apps/lab");
const PAGES = path.join(LAB, "dist/first-state");
/** The last version whose room loads in four levels of scripts. */
const DEFAULT_BEFORE = "8b959e63";

const COLYSEUS_GAME = `
import { Client } from "@colyseus/sdk";
const room = await new Client(location.origin).joinOrCreate("race", { track: "loop" });
room.onStateChange(({ cars }) => {
  if (cars.length > 1) performance.mark(${JSON.stringify(FIRST_STATE)});
});
`;

/** @typedef {{ system: string, folder: string, packages?: string, version: string }} BuiltPage packages: folder of the version's packages, which serve the page's rooms */

/** @param {string} command @param {string[]} args @param {string} cwd @returns {Promise<string>} its output */
async function done(command, args, cwd) {
  const { code, output } = await runChild(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
  return output.trim();
}

/** @param {string} ref of a commit @returns {Promise<{ root: string, commit: string }>} its built packages, made once for each commit */
async function versionOf(ref) {
  const commit = await done("git", ["rev-parse", "--short=8", `${ref}^{commit}`], ROOT);
  const root = path.join(ROOT, "artefacts/versions", commit);
  if (existsSync(path.join(root, "packages/relay/dist/index.js"))) return { root, commit };
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const archive = path.join(root, "version.tar");
  await done("git", ["archive", "--output", archive, commit], ROOT);
  await done("tar", ["-xf", archive, "-C", root], ROOT);
  const { code, output } = await pnpm(["install", "--frozen-lockfile", "--prefer-offline"], {
    cwd: root,
    env: { CI: "true", PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
  });
  if (code !== 0) throw new Error(`the version ${commit} cannot be installed:\n${output}`);
  await done(process.execPath, [binOf("typescript", "tsc"), "-b", "packages/client", "packages/relay"], root);
  return { root, commit };
}

/** @param {string} name @param {string} code @param {Record<string, string>} modules links by their names @returns {Promise<string>} folder of the build */
async function builtPage(name, code, modules) {
  const game = path.join(PAGES, name);
  for (const [module, target] of Object.entries(modules)) {
    const link = path.join(game, "node_modules", module);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
  writeFileSync(path.join(game, "game.js"), code);
  const out = path.join(game, "page");
  await withVite(game, "game.js", out);
  return out;
}

/** @param {string} system @param {string} root of the version @param {string} version @returns {Promise<BuiltPage>} */
async function pacelinePage(system, root, version) {
  const packages = path.join(root, "packages");
  const modules = { "@paceline/client": path.join(packages, "client") };
  return { system, folder: await builtPage(system, meshGame(root), modules), packages, version };
}

/**
 * Writes the pages and `pages.json`, which lists them.
 * @param {readonly string[]} options of the benchmark; `--before REF` names the version to compare with
 */
export async function buildFirstStatePages(options) {
  const before = options[options.indexOf("--before") + 1];
  const ref = options.includes("--before") && before !== undefined ? before : DEFAULT_BEFORE;
  rmSync(PAGES, { recursive: true, force: true });
  const version = await done("git", ["rev-parse", "--short=8", "HEAD"], ROOT);
  const earlier = await versionOf(ref);
  const colyseus = path.join(LAB, "rivals/node_modules/@colyseus/sdk");
  const pages = [
    await pacelinePage("paceline", ROOT, version),
    await pacelinePage("paceline-before", earlier.root, earlier.commit),
    {
      system: "colyseus",
      folder: await builtPage("colyseus", COLYSEUS_GAME, { "@colyseus/sdk": colyseus }),
      version: "",
    },
  ];
  writeFileSync(path.join(PAGES, "pages.json"), JSON.stringify(pages));
}
