import { existsSync, mkdtempSync } from "node:fs";
import path from "node:path";
import type { BuildOptions, Message } from "esbuild";

/** A new folder beside the game's packages, so that a bundle in it and this process share one copy of them. */
export function bundleFolderFor(file: string): string {
  return mkdtempSync(path.join(packagesFolder(file), ".paceline-"));
}

/** The bundle of a game's file: `game.mjs` in that folder. */
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

/** Errors of the compiler, with their places. */
export function textOfErrors(errors: readonly Message[]): string {
  return errors.map(textOf).join("\n");
}

function textOf({ text, location }: Message): string {
  if (!location) return text;
  return `${location.file}:${location.line}:${location.column + 1}: ${text}\n    ${location.lineText}`;
}

/** The nearest `node_modules`, or the game's own folder if it has none. */
function packagesFolder(file: string): string {
  const home = path.dirname(path.resolve(file));
  for (let folder = home; ; folder = path.dirname(folder)) {
    const packages = path.join(folder, "node_modules");
    if (existsSync(packages)) return packages;
    if (folder === path.dirname(folder)) return home;
  }
}
