import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defaultClientConditions, defaultServerConditions, defineConfig, type Plugin } from "vite";

/** Servers, and the page while it is developed, take the packages of this workspace from their source. */
const SOURCE = "@paceline/source";

/** The rooms run inside the server's process, with the server's own copy of the SDK. */
const GAME_SERVER = "game-server";

const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/;
/** A smaller file saves less than a packet. */
const LEAST_BYTES = 1024;

/** Writes `x.br` and `x.gz` beside each file `x` that gets smaller by it: servers send them to browsers that accept them. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        const files = Object.values(bundle).map((file) => ({
          name: file.fileName,
          bytes: Buffer.from(file.type === "chunk" ? file.code : file.source),
        }));
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        for (const { name, bytes } of files) {
          if (!COMPRESSIBLE.test(name) || bytes.length < LEAST_BYTES) continue;
          const brotli = await promisify(brotliCompress)(bytes, quality);
          const zipped = await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION });
          this.emitFile({ type: "asset", fileName: `${name}.br`, source: brotli });
          this.emitFile({ type: "asset", fileName: `${name}.gz`, source: zipped });
        }
      },
    },
  };
}

/**
 * Three builds: the page (`vite build` -> dist/), and for Node the computer drivers
 * (`vite build --ssr src/drivers/main.ts` -> dist-drivers/) and the rooms of the authoritative game
 * (`vite build --ssr src/server/rooms.ts --mode game-server` -> dist-server/).
 */
export default defineConfig(({ command, isSsrBuild, mode }) => ({
  // The built page takes them as a player's browser gets them from npm: linked and minified.
  resolve: {
    conditions: [...(command === "build" ? [] : [SOURCE]), ...defaultClientConditions],
  },
  plugins: isSsrBuild === true ? [] : [precompressed()],
  ssr: {
    ...(mode === GAME_SERVER
      ? { external: ["@paceline/client", "@paceline/server"] }
      : { noExternal: true, external: ["node-datachannel"] }),
    resolve: { conditions: [SOURCE, ...defaultServerConditions] },
  },
  build:
    isSsrBuild === true
      ? { outDir: mode === GAME_SERVER ? "dist-server" : "dist-drivers", target: "node20", emptyOutDir: true }
      : {
          outDir: "dist",
          target: "es2022",
          // Browsers without modulepreload find the same files a little later; the polyfill costs all the others 300 bytes.
          modulePreload: { polyfill: false },
          sourcemap: true,
          // The race, and the world of five hundred walkers.
          rolldownOptions: {
            input: ["index.html", "world.html"],
            // One file holds the code that the page and its later parts share; else there is one for each combination.
            output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } },
          },
        },
}));
