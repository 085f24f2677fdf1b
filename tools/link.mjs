/**
 * `node tools/link.mjs client` writes `packages/client/dist/linked`: the client for browsers, as chunks that do not
 * import each other, so that a page has all it needs after two levels of scripts with every bundler and without one.
 * `node tools/link.mjs panel` writes `packages/panel/dist/linked`: the panel with its own copy of what it needs of
 * other packages.
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
import { chunksOf, codeOf, plainChunksOf } from "./link/chunks.mjs";
import { Linker } from "./link/factory.mjs";
import { minified } from "./link/minify.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const PACKAGES = path.join(ROOT, "packages");
const CLIENT = path.join(PACKAGES, "client/dist");
const PANEL = path.join(PACKAGES, "panel/dist");

/** The client's public modules for browsers. */
const INPUT = {
  index: path.join(CLIENT, "index.js"),
  lockstep: path.join(CLIENT, "lockstep/index.js"),
};

/** The compiler writes this file of a package when anything of it has changed. @param {string} name */
const buildInfo = (name) => path.join(PACKAGES, name, "dist/.tsbuildinfo");

/** True if nothing has changed that the files are made of. @param {string} out @param {string[]} packages */
function isUpToDate(out, packages) {
  if (!existsSync(out)) return false;
  const linker = path.join(import.meta.dirname, "link");
  const sources = [
    ...packages.map(buildInfo),
    ...readdirSync(linker).map((name) => path.join(linker, name)),
    import.meta.filename,
    path.join(ROOT, "pnpm-lock.yaml"),
  ];
  return sources.every((file) => statSync(file).mtimeMs < statSync(out).mtimeMs);
}

/** Writes the client's chunks, unless they are up to date. */
export async function linkClient() {
  const out = path.join(CLIENT, "linked");
  if (isUpToDate(out, ["protocol", "netcode", "transport", "client"])) return;
  const loader = readFileSync(path.join(import.meta.dirname, "link/chunk-loader.mjs"), "utf8");
  const modules = new Linker(await chunksOf(INPUT, out)).modules(loader);
  await replaceFolder(out, modules, { "LICENCES.txt": licences() });
}

/** Writes the panel's files, unless they are up to date. Pages load it apart, so these import each other. */
export async function linkPanel() {
  const out = path.join(PANEL, "linked");
  if (isUpToDate(out, ["protocol", "transport", "panel"])) return;
  const chunks = await plainChunksOf({ index: path.join(PANEL, "index.js") }, out);
  const modules = chunks.map((chunk) => {
    const { fileName, map, isEntry } = chunk;
    return { name: path.basename(fileName, ".js"), code: codeOf(chunk), map, isPublic: isEntry };
  });
  await replaceFolder(out, modules);
}

/**
 * Puts a folder with the minified modules in the place of the one before.
 * @param {string} out @param {import("./link/factory.mjs").Module[]} modules
 * @param {Readonly<Record<string, string>>} texts other files by name
 */
async function replaceFolder(out, modules, texts = {}) {
  const next = `${out}-${process.pid}`;
  mkdirSync(next);
  for (const { name, code, map, isPublic } of modules) {
    const small = await minified(`${name}.js`, isPublic, code, map);
    writeFileSync(path.join(next, `${name}.js`), small.code);
    writeFileSync(path.join(next, `${name}.js.map`), small.map);
  }
  for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(next, name), text);
  rmSync(out, { recursive: true, force: true });
  renameSync(next, out);
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [name] = process.argv.slice(2);
  if (name === "client") await linkClient();
  else if (name === "panel") await linkPanel();
  else throw new Error(`expected client or panel, got ${name}`);
}
