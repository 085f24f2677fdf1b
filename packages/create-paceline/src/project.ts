import { cpSync, existsSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const HOME = path.resolve(import.meta.dirname, "..");

/** The starters of the repository's `examples`: one for each profile, and an arena. */
const starters = [
  "racing",
  "shooter",
  "action",
  "rpg",
  "mmo",
  "arena",
  "strategy",
  "puzzle",
  "party",
] as const;
export const templates = ["canvas", "authority", ...starters] as const;
export type Template = (typeof templates)[number];

/** Folders of a starter that are made on its machine. */
const MADE = new Set(["node_modules", "dist"]);

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
  const isCopied = (file: string): boolean => !MADE.has(path.basename(file));
  cpSync(folderOf(template), folder, { recursive: true, filter: isCopied });
  if (existsSync(path.join(folder, "_gitignore"))) {
    // npm leaves a .gitignore out of a package.
    renameSync(path.join(folder, "_gitignore"), path.join(folder, ".gitignore"));
  } else addSettings(folder);
  const file = path.join(folder, "package.json");
  const manifest = readJson(file);
  const version = String(readJson(path.join(HOME, "package.json"))["version"]);
  for (const kind of ["dependencies", "devDependencies"]) {
    const versions = (manifest[kind] ?? {}) as Record<string, string>;
    for (const name of Object.keys(versions).filter(isOurs)) versions[name] = version;
  }
  manifest["name"] = nameOf(path.basename(path.resolve(folder)));
  writeJson(file, manifest);
}

/** Returns the template's folder: packing puts the starters beside the templates. */
function folderOf(template: Template): string {
  const packed = path.join(HOME, "templates", template);
  return existsSync(packed) ? packed : path.join(HOME, "../../examples", template);
}

/** Adds the files for git and editors, which starters take from the repository around them. */
function addSettings(folder: string): void {
  const canvas = path.join(HOME, "templates/canvas");
  cpSync(path.join(canvas, "_gitignore"), path.join(folder, ".gitignore"));
  const settings = readJson(path.join(canvas, "tsconfig.json"));
  const compilerOptions = { ...(settings["compilerOptions"] as object), jsx: "react-jsx" };
  writeJson(path.join(folder, "tsconfig.json"), { compilerOptions, include: ["."] });
}

const isOurs = (name: string): boolean => name === "paceline" || name.startsWith("@paceline/");

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

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
