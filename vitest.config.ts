import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests run from source: the condition is the first entry in every package's `exports`. */
const conditions = ["@paceline/source"];
const resolution = { resolve: { conditions }, ssr: { resolve: { conditions } } };

const TESTED = ["packages/*/test", "apps/*/test", "e2e/test", "examples/test", "docs/test"];
const named = (suffix: string): string[] => TESTED.map((folder) => `${folder}/**/*.${suffix}.ts`);

/**
 * Modules are read once for all files that a process runs, since reading them takes longer than most tests. So a test
 * puts back what it has changed outside itself; globals that it replaced are put back for it. A file that leaves others
 * behind fails.
 */
const guard = fileURLToPath(new URL("tools/test-guard.ts", import.meta.url));
const shared = { isolate: false, unstubGlobals: true, setupFiles: [guard] };

export default defineConfig({
  ...resolution,
  test: {
    pool: "forks",
    // Many tests wait for real sockets: with one process for two cores, which is the default, most of the time is waiting.
    maxWorkers: 3,
    projects: [
      {
        ...resolution,
        test: {
          ...shared,
          name: "unit",
          include: named("test"),
          exclude: ["property.test", "sim.test", "heap.test", "slow.test"].flatMap(named),
          // Real sockets on a machine that may be busy: what is waited for has a deadline of its own, with better words.
          testTimeout: 20_000,
        },
      },
      {
        ...resolution,
        test: { ...shared, name: "property", include: named("property.test"), testTimeout: 30_000 },
      },
      {
        ...resolution,
        test: { ...shared, name: "sim", include: named("sim.test"), testTimeout: 30_000 },
      },
      // In a process of their own: what other files left behind would count, and how they called a function decides how it is compiled.
      { ...resolution, test: { name: "heap", include: named("heap.test"), testTimeout: 60_000 } },
      // Not in `npm test`, which has twelve minutes: for `pnpm verify`.
      { ...resolution, test: { ...shared, name: "slow", include: named("slow.test"), testTimeout: 600_000 } },
      { ...resolution, test: { name: "repo", include: ["tools/test/*.test.ts"], testTimeout: 60_000 } },
    ],
  },
});
