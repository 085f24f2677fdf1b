/** Decides which modules of the client belong to which chunk, and bundles them. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

/** The first chunk, which every page imports. */
export const INDEX = "index";
/** The door that has the code which several doors need. */
const COMMON = "room";

/**
 * @typedef {import("rolldown").OutputChunk} OutputChunk
 * @typedef {Readonly<Record<string, string>>} Inputs file of each public module, by name
 */

/** Gives Rolldown the compiler's source maps. */
const typescriptMaps = {
  name: "typescript maps",
  /** @param {string} id */
  load(id) {
    if (!existsSync(`${id}.map`)) return undefined;
    return { code: readFileSync(id, "utf8"), map: readFileSync(`${id}.map`, "utf8") };
  },
};

/**
 * @param {Inputs} input @param {string} dir where the chunks are written
 * @param {NonNullable<import("rolldown").OutputOptions["codeSplitting"]>} codeSplitting @returns {Promise<OutputChunk[]>}
 */
async function bundle(input, dir, codeSplitting) {
  const isLast = codeSplitting !== true;
  const build = await rolldown({
    input,
    platform: "browser",
    logLevel: "warn",
    checks: { pluginTimings: false },
    preserveEntrySignatures: "allow-extension",
    // Else a module that several doors need lands in the chunk of one of them.
    experimental: { chunkOptimization: false },
    plugins: isLast ? [typescriptMaps] : [],
  });
  try {
    const options = /** @type {const} */ ({ format: "esm", chunkFileNames: "[name].js", sourcemap: isLast });
    const { output } = await build.generate({ ...options, dir, codeSplitting });
    return output.filter((file) => file.type === "chunk");
  } finally {
    await build.close();
  }
}

/** A door is a file that code of ours imports dynamically, and a public module. @param {OutputChunk} chunk */
const isDoor = (chunk) => chunk.isEntry || chunk.isDynamicEntry;

/** @param {OutputChunk} chunk */
export const doorOf = ({ isEntry, name, facadeModuleId }) =>
  isEntry ? name : path.basename(facadeModuleId ?? "", ".js");

/** @param {readonly OutputChunk[]} chunks @returns {Map<string, Set<string>>} the doors that need each module */
function needs(chunks) {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const door of chunks.filter(isDoor)) {
    const files = new Set([door.fileName]);
    for (const file of files) for (const next of byFile.get(file)?.imports ?? []) files.add(next);
    for (const file of files) {
      for (const id of byFile.get(file)?.moduleIds ?? []) {
        const doors = found.get(id) ?? new Set();
        found.set(id, doors.add(doorOf(door)));
      }
    }
  }
  return found;
}

/**
 * Returns the chunk of a module that these doors need.
 * @param {ReadonlySet<string>} doors
 * @param {ReadonlyMap<string, ReadonlySet<string>>} within the doors that only one public module opens, by its name
 */
function chunkOf(doors, within) {
  const [only = INDEX, ...others] = doors;
  if (others.length === 0) return only;
  if (doors.has(INDEX)) return INDEX;
  for (const [name, inner] of within) {
    if ([...doors].every((door) => door === name || inner.has(door))) return name;
  }
  return COMMON;
}

/** The doors that no other one opens but this one. @param {readonly OutputChunk[]} chunks @param {string} name */
function onlyFrom(chunks, name) {
  const openers = (/** @type {OutputChunk} */ door) =>
    chunks.filter(({ dynamicImports }) => dynamicImports.includes(door.fileName));
  const inner = chunks.filter(
    (door) => door.isDynamicEntry && openers(door).every((chunk) => isDoor(chunk) && doorOf(chunk) === name),
  );
  return new Set(inner.map(doorOf));
}

/**
 * Bundles the client: for each chunk one with its code, and for each door one without code that exports its
 * names.
 * @param {Inputs} input @param {string} dir where the chunks will be written
 */
export async function chunksOf(input, dir) {
  const natural = await bundle(input, dir, true);
  const doors = natural.filter(isDoor).map(doorOf);
  const twice = doors.find((name, index) => doors.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two files that are imported dynamically are called ${twice}`);
  if (!doors.includes(COMMON)) throw new Error(`no file called ${COMMON} is imported dynamically`);
  const needed = needs(natural);
  const others = Object.keys(input).filter((name) => name !== INDEX);
  const within = new Map(others.map((name) => [name, onlyFrom(natural, name)]));
  const name = (/** @type {string} */ id) => {
    const by = needed.get(id);
    return by ? chunkOf(by, within) : null;
  };
  const groups = [{ debugName: "linked", name }];
  return bundle(input, dir, { includeDependenciesRecursively: false, groups });
}
