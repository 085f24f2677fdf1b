/**
 * Writes `packages/client/dist/linked`: the client for browsers, as chunks that do not import each other, so that a
 * page has all it needs after two levels of scripts with every bundler and without one.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chunksOf } from "./link/chunks.mjs";
import { Linker } from "./link/factory.mjs";
import { minified } from "./link/minify.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const PACKAGES = path.join(ROOT, "packages");
const DIST = path.join(PACKAGES, "client/dist");
const OUT = path.join(DIST, "linked");

/** The public modules for browsers. */
const INPUT = {
  index: path.join(DIST, "index.js"),
  lockstep: path.join(DIST, "lockstep/index.js"),
  panel: path.join(DIST, "panel/index.js"),
};

/** The compiler writes this file of a package when anything of it has changed. @param {string} name */
const buildInfo = (name) => path.join(PACKAGES, name, "dist/.tsbuildinfo");

/** True if nothing has changed that the chunks are made of. */
function isUpToDate() {
  if (!existsSync(OUT)) return false;
  const linker = path.join(import.meta.dirname, "link");
  const sources = [
    ...["protocol", "netcode", "transport", "client"].map(buildInfo),
    ...readdirSync(linker).map((name) => path.join(linker, name)),
    import.meta.filename,
    path.join(ROOT, "pnpm-lock.yaml"),
  ];
  return sources.every((file) => statSync(file).mtimeMs < statSync(OUT).mtimeMs);
}

/** Writes the chunks, unless they are up to date. */
export async function linkClient() {
  if (isUpToDate()) return;
  const loader = readFileSync(path.join(import.meta.dirname, "link/chunk-loader.mjs"), "utf8");
  const modules = new Linker(await chunksOf(INPUT, OUT)).modules(loader);
  const next = `${OUT}-${process.pid}`;
  mkdirSync(next);
  for (const { name, code, map, isPublic } of modules) {
    const small = await minified(`${name}.js`, isPublic, code, map);
    writeFileSync(path.join(next, `${name}.js`), small.code);
    writeFileSync(path.join(next, `${name}.js.map`), small.map);
  }
  writeFileSync(path.join(next, "LICENCES.txt"), licences());
  rmSync(OUT, { recursive: true, force: true });
  renameSync(next, OUT);
}

/** The texts that have to go with the code of others in the chunks. */
function licences() {
  const others = /** @type {const} */ ([
    ["msgpackr", "protocol"],
    ["simple-peer", "transport"],
  ]);
  return others
    .map(([name, user]) => {
      const text = readFileSync(path.join(PACKAGES, user, "node_modules", name, "LICENSE"), "utf8");
      return `${name}\n\n${text.trim()}\n`;
    })
    .join("\n\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await linkClient();
