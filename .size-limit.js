/**
 * `pnpm size`: what a player downloads, minified and gzipped, from `dist`: build first. The games are those that the
 * documents print, with the linked chunks of the client. Nothing runs here, so the lists below say which code comes later;
 * any other code counts, so whatever slips from them into a download goes over that download's limit.
 * `pnpm verify --only downloads` counts what a browser really loads, with three bundlers.
 */
import path from "node:path";
import { AUTHORITY_GUIDE, authorityGame, meshGame, README } from "./tools/verify/documented-games.mjs";

/** Files that no printed game loads within 30 s. */
const UNUSED = [
  "cells.js",
  "columns.js",
  "interpolation.js",
  "nearest.js",
  "queue.js",
  "reckoners.js",
  "simulation.js",
];
/** WebRTC and msgpackr, which count apart. */
const APART = ["webrtc.js", "msgpackr.js"];
/** Words of `room.transport.explain()`, which README's game prints. */
const WORDS = ["words.js", "tree-words.js"];
/** Files that load after the first state. */
const LATE = [...WORDS, "seats.js", "stripes.js"];
const AUTHORITY = ["authority.js"];
/** What only a player needs who owns entities: in a mesh it loads after the first state. */
const SENDING = ["sending.js"];
/** What own states share with the first state of an entity that an authority is asked for. */
const WRITING = ["writing.js"];
const PLAYERS = ["mesh.js", ...SENDING];

/**
 * Counts the chunks that load with the entry, and those of dynamic imports but for the files named here.
 * @param {readonly string[] | "all"} later
 * @returns {import("esbuild").Plugin}
 */
const withoutChunks = (later) => ({
  name: "without later chunks",
  setup(build) {
    build.onEnd(({ metafile }) => {
      if (metafile === undefined) return undefined;
      const { outputs } = metafile;
      const fileOf = (/** @type {string} */ chunk) => path.basename(outputs[chunk]?.entryPoint ?? "");
      const isLater = (/** @type {string} */ chunk) => later === "all" || later.includes(fileOf(chunk));
      const unseen = new Set(later === "all" ? [] : later);
      const counted = new Set(Object.keys(outputs).filter((chunk) => fileOf(chunk).endsWith(".md")));
      for (const chunk of counted) {
        for (const { kind, path: to } of outputs[chunk]?.imports ?? []) {
          unseen.delete(fileOf(to));
          if (kind === "import-statement" || !isLater(to)) counted.add(to);
        }
      }
      for (const chunk of Object.keys(outputs)) if (!counted.has(chunk)) delete outputs[chunk];
      return {
        errors: [...unseen].map((file) => ({ text: `nothing that is counted imports ${file} dynamically` })),
      };
    });
  },
});

/** Leaves out all code that is imported dynamically. @type {import("esbuild").Plugin} */
const withoutLaterCode = {
  name: "without later code",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path: file }) =>
      kind === "dynamic-import" ? { path: file, external: true } : undefined,
    );
  },
};

/** @param {import("esbuild").Plugin[]} plugins */
const withPlugins =
  (...plugins) =>
  (/** @type {import("esbuild").BuildOptions} */ config) => ({
    ...config,
    format: /** @type {const} */ ("esm"),
    target: "es2022",
    splitting: true,
    plugins,
  });

/**
 * Compiles the game instead of its document.
 * @param {string} code @returns {import("esbuild").Plugin}
 */
const printed = (code) => ({
  name: "printed game",
  setup(build) {
    const resolveDir = path.resolve("apps/demo-game");
    build.onLoad({ filter: /\.md$/ }, () => ({ contents: code, loader: "js", resolveDir }));
  },
});

/** @param {string} name @param {string} limit @param {string} document @param {string} code @param {readonly string[] | "all"} later */
const game = (name, limit, document, code, later) => ({
  name,
  limit,
  path: document,
  gzip: true,
  modifyEsbuildConfig: withPlugins(withoutChunks(later), printed(code)),
});

/**
 * @param {string} name @param {string} limit
 * @param {Record<string, string>} imports by file of packages
 */
const download = (name, limit, imports) => ({
  name,
  limit,
  import: Object.fromEntries(Object.entries(imports).map(([file, names]) => [`packages/${file}`, names])),
  gzip: true,
  modifyEsbuildConfig: withPlugins(withoutLaterCode),
});

const MESH = meshGame();
const GUIDE = authorityGame();

// Lower a limit when its download has become smaller, until it is at its goal.
export default [
  game("README's game: the entry (goal 18 kB)", "18 kB", README, MESH, "all"),
  game(
    "README's game: until its first state, without WebRTC and msgpackr (goal 70 kB)",
    "91.2 kB",
    README,
    MESH,
    [...UNUSED, ...APART, ...LATE, ...SENDING, ...WRITING, ...AUTHORITY],
  ),
  game("README's game: in 30 s, without WebRTC and msgpackr (goal 84 kB)", "115.1 kB", README, MESH, [
    ...UNUSED,
    ...APART,
    ...AUTHORITY,
  ]),
  game(
    "the guide's game with an authority: until its first state, without WebRTC and msgpackr (goal 70 kB)",
    "92.7 kB",
    AUTHORITY_GUIDE,
    GUIDE,
    [...UNUSED, ...APART, ...LATE, ...PLAYERS],
  ),
  game(
    "the guide's game with an authority: in 30 s, without WebRTC and msgpackr (goal 78 kB)",
    "94.5 kB",
    AUTHORITY_GUIDE,
    GUIDE,
    [...UNUSED, ...APART, ...WORDS, ...PLAYERS],
  ),
  download("NetError alone (goal 3 kB)", "200 B", { "client/dist/index.js": "{ NetError }" }),
  download("panel, with its copy of what it needs of other packages", "17.5 kB", {
    "panel/dist/index.js": "*",
  }),
];
