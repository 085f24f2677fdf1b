/** Decides which modules of the client belong to which chunk, and bundles them. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

/** The first chunk, which every page imports. */
export const INDEX = "index";
/** The door that has the code which several doors need. */
const COMMON = "room";
/**
 * Doors that open after others, whose chunks they then need: code of those two stays in the chunk of the first, where
 * no page waits for it that opens neither.
 * @type {Readonly<Record<string, string>>} the first door by the later one
 */
const AFTER = { sending: "motion" };
/**
 * Chunks of their own for code that only these doors share: in the room's chunk, pages would wait for it that open
 * none of them.
 * @type {Readonly<Record<string, string>>} the chunk, by the doors in the order of the alphabet
 */
const SHARED = { "authority sending": "writing" };

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
 * @param {NonNullable<import("rolldown").OutputOptions["codeSplitting"]>} codeSplitting
 * @param {boolean} isLast true for chunks that are written, so with source maps @returns {Promise<OutputChunk[]>}
 */
async function bundle(input, dir, codeSplitting, isLast) {
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

/** A chunk's code without the line that names its map, which is handed on apart. @param {OutputChunk} chunk */
export const codeOf = ({ code }) => code.replace(/\n?\/\/# sourceMappingURL=.*/, "");

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

/** Returns the chunk of a module that these doors need. @param {ReadonlySet<string>} doors */
function chunkOf(doors) {
  if (doors.has(INDEX)) return INDEX;
  const first = [...doors].filter((door) => !doors.has(AFTER[door] ?? ""));
  const [only = INDEX] = first;
  return first.length > 1 ? (SHARED[first.toSorted().join(" ")] ?? COMMON) : only;
}

/**
 * Bundles a public module, with a chunk for each of its dynamic imports.
 * @param {Inputs} input @param {string} dir where the chunks will be written
 */
export const plainChunksOf = (input, dir) => bundle(input, dir, true, true);

/**
 * Bundles the client: for each chunk one with its code, and for each door one without code that exports its
 * names.
 * @param {Inputs} input @param {string} dir where the chunks will be written
 */
export async function chunksOf(input, dir) {
  const natural = await bundle(input, dir, true, false);
  const doors = natural.filter(isDoor).map(doorOf);
  const twice = doors.find((name, index) => doors.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two files that are imported dynamically are called ${twice}`);
  if (!doors.includes(COMMON)) throw new Error(`no file called ${COMMON} is imported dynamically`);
  const needed = needs(natural);
  const name = (/** @type {string} */ id) => {
    const by = needed.get(id);
    return by ? chunkOf(by) : null;
  };
  const groups = [{ debugName: "linked", name }];
  return bundle(input, dir, { includeDependenciesRecursively: false, groups }, true);
}
