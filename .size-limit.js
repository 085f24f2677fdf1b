/**
 * `pnpm size`: what a player downloads, minified and gzipped, from `dist`: build first. Code that is imported
 * dynamically is left out, so whatever slips from it into a download goes over that download's limit.
 */

/** @type {import("esbuild").Plugin} */
const withoutLaterCode = {
  name: "without later code",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/**
 * @param {string} name @param {string} limit
 * @param {Record<string, string>} imports by file of packages/client/dist
 */
const download = (name, limit, imports) => ({
  name,
  limit,
  import: Object.fromEntries(
    Object.entries(imports).map(([file, names]) => [`packages/client/dist/${file}`, names]),
  ),
  gzip: true,
  modifyEsbuildConfig: (/** @type {import("esbuild").BuildOptions} */ config) => ({
    ...config,
    format: "esm",
    target: "es2022",
    plugins: [withoutLaterCode],
  }),
});

// Lower a limit when its download has become smaller. `pnpm verify --only downloads` counts what a browser
// fetches; bundlers cut chunks there, which makes a download about 5 % larger.
export default [
  download("entry, before the game starts (goal 28 kB)", "18.5 kB", { "index.js": "*" }),
  download("NetError alone (goal 3 kB)", "200 B", { "index.js": "{ NetError }" }),
  download("a WebSocket player in a room without authority (goal 48 kB)", "93.8 kB", {
    "index.js": "*",
    "doors/room.js": "{ RoomJoin }",
    "doors/mesh.js": "{ Mode }",
  }),
  download("panel, with what it shares with the room", "17.4 kB", { "panel/panel.js": "*" }),
];
