import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { BuildOptions, Loader, Message, Plugin } from "esbuild";

/**
 * Makes a folder beside the game's packages, so that its bundle and this process share one copy of the
 * packages. Its name begins with the id of this process. Removes the folders of processes that were killed.
 */
export function bundleFolderFor(file: string): string {
  const home = packagesFolder(file);
  removeLeftFolders(home);
  return mkdtempSync(path.join(home, `.paceline-${process.pid}-`));
}

function removeLeftFolders(home: string): void {
  for (const name of readdirSync(home)) {
    const [, pid] = /^\.paceline-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(path.join(home, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { readonly code?: string }).code === "EPERM";
  }
}

/**
 * Returns the options to bundle a game's file to `game.mjs` in the folder. CommonJS files of the game keep
 * their `require` of packages, and all files the facts about their own place.
 */
export function bundleOptions(file: string, folder: string): BuildOptions {
  const home = JSON.stringify(pathToFileURL(path.resolve(file)).href);
  return {
    entryPoints: [file],
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    write: true,
    entryNames: "game",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
    banner: {
      js: `import { createRequire as createGameRequire } from "node:module"; const require = createGameRequire(${home});`,
    },
    define: Object.fromEntries(PLACES.map(({ name, constant }) => [name, constant])),
    plugins: [ownPlaces, nativeModules],
  };
}

interface Place {
  readonly name: string;
  readonly constant: string;
  readonly of: (file: string) => string;
}

/** Facts about a file's own place. In the bundle they would be those of the bundle, or missing. */
const PLACES: readonly Place[] = [
  { name: "__filename", constant: "paceline_filename", of: (file) => file },
  { name: "__dirname", constant: "paceline_dirname", of: (file) => path.dirname(file) },
  { name: "import.meta.filename", constant: "paceline_filename", of: (file) => file },
  { name: "import.meta.dirname", constant: "paceline_dirname", of: (file) => path.dirname(file) },
  { name: "import.meta.url", constant: "paceline_url", of: (file) => pathToFileURL(file).href },
];

/** Declares, in each file that uses them, the constants that stand for {@link PLACES}. */
const ownPlaces: Plugin = {
  name: "paceline-own-places",
  setup: (build) =>
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const used = PLACES.filter(({ name }) => text.includes(name));
      if (used.length === 0) return undefined;
      const constants = new Map(used.map(({ constant, of }) => [constant, JSON.stringify(of(file))]));
      const declared = Array.from(constants, ([constant, value]) => `const ${constant} = ${value};`).join("");
      return { contents: `${declared}${text.replace(/^#!.*/, "")}`, loader: loaderOf(file) };
    }),
};

function loaderOf(file: string): Loader {
  return (/[jt]sx?$/.exec(file)?.[0] ?? "js") as Loader;
}

/** Leaves native modules where they are: their names in the bundle are absolute paths. */
const nativeModules: Plugin = {
  name: "paceline-native-modules",
  setup: (build) =>
    build.onResolve({ filter: /^\.{0,2}\/.*\.node$/ }, ({ path: name, resolveDir }) => ({
      path: path.resolve(resolveDir, name),
      external: true,
    })),
};

export function bundledFile(folder: string): string {
  return path.join(folder, "game.mjs");
}

/** Returns the compiler's errors with their places, as text. */
export function textOfErrors(errors: readonly Message[]): string {
  return errors.map(textOf).join("\n");
}

function textOf({ text, location }: Message): string {
  if (!location) return text;
  return `${location.file}:${location.line}:${location.column + 1}: ${text}\n    ${location.lineText}`;
}

/** Returns the nearest `node_modules`, or the game's own folder if there is none. */
function packagesFolder(file: string): string {
  const home = path.dirname(path.resolve(file));
  for (let folder = home; ; folder = path.dirname(folder)) {
    const packages = path.join(folder, "node_modules");
    if (existsSync(packages)) return packages;
    if (folder === path.dirname(folder)) return home;
  }
}
