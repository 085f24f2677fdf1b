import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { LAB } from "../network/places.js";

const require = createRequire(path.join(LAB, "rivals/package.json"));

/** Loads a rival from its own folder: they are measured as their users install them, and not a part of the project. */
export async function rival<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(require.resolve(name)).href)) as Module;
}

/** What is installed, by name. */
export function rivalVersions(): Record<string, string> {
  const { dependencies } = require("./package.json") as { dependencies: Record<string, string> };
  return dependencies;
}
