import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { BuildOptions, Message } from "esbuild";

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

/** Returns the options to bundle a game's file to `game.mjs` in the folder. */
export function bundleOptions(file: string, folder: string): BuildOptions {
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
  };
}

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
