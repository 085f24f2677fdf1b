import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

/** Endings of what the compiler makes of one source file. */
const OUTPUT = /\.(js|d\.ts)(\.map)?$/;
/** Folders in `dist` whose files have no source of the same name. */
const LINKED = "linked";

/**
 * Removes from a package's `dist` what the compiler has made of files that are gone: an incremental build leaves it,
 * and a tarball would have it.
 * @param {string} folder the package's
 * @returns {string[]} the removed files, relative to `dist`
 */
export function removeStaleOutput(folder) {
  const dist = path.join(folder, "dist");
  if (!existsSync(dist)) return [];
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
  const stale = files.filter((file) => {
    const isOutput = OUTPUT.test(file) && file.split(path.sep)[0] !== LINKED;
    return isOutput && !existsSync(path.join(folder, "src", file.replace(OUTPUT, ".ts")));
  });
  for (const file of stale) rmSync(path.join(dist, file));
  return stale;
}
