import { defaultClientConditions, defaultServerConditions, defineConfig } from "vite";

/** The packages of this workspace are taken from their source, so nothing has to be built before. */
const SOURCE = "@paceline/source";

/**
 * Two builds: the page (`vite build` -> dist/), and the computer drivers for Node
 * (`vite build --ssr src/drivers/main.ts` -> dist-drivers/).
 */
export default defineConfig(({ isSsrBuild }) => ({
  resolve: { conditions: [SOURCE, ...defaultClientConditions] },
  ssr: { noExternal: true, resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
  build:
    isSsrBuild === true
      ? { outDir: "dist-drivers", target: "node20", emptyOutDir: true }
      : { outDir: "dist", target: "es2022", sourcemap: true },
}));
