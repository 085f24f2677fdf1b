/**
 * Checks which package imports which, by the import statements in the sources. `tools/layers.json` says what
 * is allowed.
 */
import { readdirSync, readFileSync, existsSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import ts from "typescript";

/** Globals for time, timers, random numbers or the page. A pure package gets them as arguments. */
const IMPURE_GLOBALS = new Set(
  [
    "Date performance setTimeout setInterval setImmediate queueMicrotask crypto",
    "window document navigator self globalThis process console",
    "WebSocket RTCPeerConnection Worker fetch localStorage requestAnimationFrame",
  ].flatMap((line) => line.split(" ")),
);

/**
 * @typedef {{ mayImport: string[], pure?: boolean, bundles?: string[], nodeFiles?: string[], folders?:
 * string[] }} Layer
 * bundles: packages that tools/prepack.mjs packs into it, which are therefore no dependencies
 * folders: the folders of `src`, each of which imports only from those before it. "." stands for the files of
 * `src` itself.
 * Without it they may import from all folders; index.ts always may.
 * @typedef {{ file: string, text: string }} SourceFile file is relative to the package, with forward slashes
 * @typedef {{ folder: string, dependencies: string[], sources: SourceFile[], layer: Layer }} Package
 */

/** @param {string} specifier @returns {string} the package an import names: `@a/b/node` is `@a/b` */
function packageOf(specifier) {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}

/** @param {string} specifier */
function needsNode(specifier) {
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) return true;
  return specifier === "ws" || (specifier.startsWith("@paceline/") && specifier.endsWith("/node"));
}

/** @param {SourceFile} source @returns {string[]} every specifier imported or re-exported, types included */
export function importsOf(source) {
  return ts.preProcessFile(source.text, true, true).importedFiles.map((found) => found.fileName);
}

/**
 * @param {string[] | undefined} order @param {string} file
 * @returns {string | undefined} the folder of `src` that it lies in; undefined for a file above all folders
 */
function folderOf(order, file) {
  const folder = /^src\/([^/]+)\//.exec(file)?.[1];
  const isRanked = order?.includes(".") && !/^src\/index\.[jt]s$/.test(file);
  return folder ?? (isRanked ? "." : undefined);
}

/**
 * @param {string[] | undefined} order @param {string | undefined} from @param {string | undefined} to
 * @returns {string | undefined}
 */
function folderFault(order, from, to) {
  if (!order || from === undefined || from === to) return undefined;
  if (!order.includes(from)) return `lies in the folder "${from}", which has no place in the order`;
  if (to === undefined) return "imports from above all folders";
  return order.indexOf(to) < order.indexOf(from) ? undefined : `may not import from the folder "${to}"`;
}

/** @param {Package} pkg @param {SourceFile} source @param {string} specifier @returns {string | undefined} */
function importFault(pkg, source, specifier) {
  if (specifier.startsWith(".")) {
    const target = path.posix.join(path.posix.dirname(source.file), specifier);
    if (target.startsWith("..")) return `reaches out of its package with "${specifier}"`;
    const order = pkg.layer.folders;
    return folderFault(order, folderOf(order, source.file), folderOf(order, target));
  }
  const named = packageOf(specifier);
  if (named.startsWith("@paceline/")) {
    if (!pkg.layer.mayImport.includes(named)) return `may not import "${named}"`;
    if (!pkg.dependencies.includes(named))
      return `imports "${named}" without depending on it in package.json`;
  }
  const isNodeFile = (pkg.layer.nodeFiles ?? []).some((prefix) => source.file.startsWith(prefix));
  if (needsNode(specifier) && !isNodeFile) return `imports "${specifier}", which a browser cannot load`;
  return undefined;
}

/** @param {ts.Node} node @returns {string | undefined} the impure thing this node uses, if it is one */
function impureUse(node) {
  if (ts.isPropertyAccessExpression(node) && node.getText() === "Math.random") return "Math.random";
  if (!ts.isIdentifier(node) || !IMPURE_GLOBALS.has(node.text)) return undefined;
  const { parent } = node;
  const isMemberName = ts.isPropertyAccessExpression(parent) && parent.name === node;
  const isDeclaredName = "name" in parent && parent.name === node;
  return isMemberName || isDeclaredName ? undefined : node.text;
}

/** @param {SourceFile} source @returns {string[]} */
function impurities(source) {
  const tree = ts.createSourceFile(source.file, source.text, ts.ScriptTarget.ES2022, true);
  /** @type {string[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const use = impureUse(node);
    if (use !== undefined) found.push(`is pure, but uses ${use}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** @param {Package} pkg @returns {string[]} one sentence per breach; empty when the package keeps its place */
export function breaches(pkg) {
  const found = pkg.sources.flatMap((source) => {
    const faults = importsOf(source).map((specifier) => importFault(pkg, source, specifier));
    const all = pkg.layer.pure ? [...faults, ...impurities(source)] : faults;
    return all.filter((fault) => fault !== undefined).map((fault) => `${pkg.folder}/${source.file} ${fault}`);
  });
  const imported = new Set(pkg.sources.flatMap(importsOf).map(packageOf));
  for (const dependency of pkg.dependencies.filter((name) => name.startsWith("@paceline/"))) {
    if (!pkg.layer.mayImport.includes(dependency))
      found.push(`${pkg.folder} may not depend on "${dependency}"`);
    if (!imported.has(dependency))
      found.push(`${pkg.folder} depends on "${dependency}" but never imports it`);
  }
  return found;
}

/** @param {string} root @param {string} folder @param {Layer} layer @returns {Package} */
export function readPackage(root, folder, layer) {
  const home = path.join(root, folder);
  const manifest = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
  const sources = ["src", "drivers"]
    .filter((name) => existsSync(path.join(home, name)))
    .flatMap((name) =>
      readdirSync(path.join(home, name), { recursive: true, encoding: "utf8" }).map(
        (file) => `${name}/${file}`,
      ),
    )
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file, text: readFileSync(path.join(home, file), "utf8") }));
  return {
    folder,
    dependencies: [...Object.keys(manifest.dependencies ?? {}), ...(layer.bundles ?? [])],
    sources,
    layer,
  };
}
