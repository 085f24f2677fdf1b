import path from "node:path";
import { defineConfig } from "vitest/config";

/** Vitest's configuration for one changed file. tools/mutate.mjs passes the change in the environment. */
interface Change {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

const ROOT = path.resolve(import.meta.dirname, "..");
const conditions = ["@paceline/source"];
const given = process.env["PACELINE_MUTANT"];
const change = given === undefined ? undefined : (JSON.parse(given) as Change);

export default defineConfig({
  root: ROOT,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      transform(code: string, id: string): string | undefined {
        if (change === undefined || id !== path.join(ROOT, change.file)) return undefined;
        return code.slice(0, change.start) + change.to + code.slice(change.end);
      },
    },
  ],
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 1,
    unstubGlobals: true,
    testTimeout: 15_000,
  },
});
