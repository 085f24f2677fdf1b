import { cpSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const HOME = path.resolve(import.meta.dirname, "..");

export const templates = ["canvas", "authority"] as const;
export type Template = (typeof templates)[number];

/** Why no game can be written there, as a sentence; undefined where one can. */
export function faultOf(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isDirectory()) return `"${folder}" is a file; choose another folder.`;
  const [first] = readdirSync(folder);
  if (first === undefined) return undefined;
  return `"${folder}" is not empty (it has ${first}); choose another folder. Nothing was changed.`;
}

/** Copies a template, and gives it the folder's name and this version of Paceline. */
export function writeProject(folder: string, template: Template): void {
  cpSync(path.join(HOME, "templates", template), folder, { recursive: true });
  // npm leaves a .gitignore out of a package.
  renameSync(path.join(folder, "_gitignore"), path.join(folder, ".gitignore"));
  const file = path.join(folder, "package.json");
  const manifest = readJson(file);
  const version = String(readJson(path.join(HOME, "package.json"))["version"]);
  for (const kind of ["dependencies", "devDependencies"]) {
    const versions = (manifest[kind] ?? {}) as Record<string, string>;
    for (const name of Object.keys(versions).filter(isOurs)) versions[name] = version;
  }
  manifest["name"] = nameOf(path.basename(path.resolve(folder)));
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

const isOurs = (name: string): boolean => name === "paceline" || name.startsWith("@paceline/");

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
}

/** A name that npm takes. */
function nameOf(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "game" : name;
}
