import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { LAB } from "../network/places.js";

const FOLDER = path.join(LAB, "rivals");
const require = createRequire(path.join(FOLDER, "package.json"));

/** Returns how to install the rivals if they are missing; undefined if they are installed. */
export function whyNoRivals(): string | undefined {
  if (existsSync(path.join(FOLDER, "node_modules"))) return undefined;
  return "the rivals are not installed; `pnpm bench` does it where it reaches the registry";
}

/** Imports a rival's package. Rivals are installed outside of the workspace, so `Module` gives the types. */
export async function rival<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(require.resolve(name)).href)) as Module;
}

/**
 * Imports a package as an ES module, as the rivals import each other. By `require` a package that has both
 * forms may exist twice.
 */
export async function importedRival<Module>(name: string): Promise<Module> {
  // Node resolves links, and takes another path for another module.
  const folder = realpathSync(path.join(FOLDER, "node_modules", name));
  const { exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    readonly exports: { readonly ".": { readonly import: string | { readonly default: string } } };
  };
  const { import: entry } = exports["."];
  const file = path.join(folder, typeof entry === "string" ? entry : entry.default);
  return (await import(pathToFileURL(file).href)) as Module;
}

/** Loads a package by `require`, so that its modules exist only once. */
export function requiredRival(name: string): unknown {
  return require(name);
}

export function rivalVersion(name: string): string {
  const file = path.join(FOLDER, "node_modules", name, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
