import { defaultClientConditions, defaultServerConditions, defineConfig } from "vite";

/** The packages of this workspace are taken from their source, so nothing has to be built before. */
const SOURCE = "@paceline/source";

/** The rooms run inside the server's process, with the server's own copy of the SDK. */
const GAME_SERVER = "game-server";

/**
 * Three builds: the page (`vite build` -> dist/), and for Node the computer drivers
 * (`vite build --ssr src/drivers/main.ts` -> dist-drivers/) and the rooms of the authoritative game
 * (`vite build --ssr src/server/rooms.ts --mode game-server` -> dist-server/).
 */
export default defineConfig(({ isSsrBuild, mode }) => ({
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: {
    ...(mode === GAME_SERVER ? { external: ["@paceline/client", "@paceline/server"] } : { noExternal: true }),
    resolve: { conditions: [SOURCE, ...defaultServerConditions] },
  },
  build:
    isSsrBuild === true
      ? { outDir: mode === GAME_SERVER ? "dist-server" : "dist-drivers", target: "node20", emptyOutDir: true }
      : {
          outDir: "dist",
          target: "es2022",
          sourcemap: true,
          // One file holds the code that the page and its later parts share; else there is one for each combination.
          rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } } },
        },
}));
