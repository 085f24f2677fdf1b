import { defineConfig } from "vitest/config";

/** Tests run from source: the condition is the first entry in every package's `exports`. */
const conditions = ["@paceline/source"];
const resolution = { resolve: { conditions }, ssr: { resolve: { conditions } } };

const TESTED = ["packages/*/test", "apps/*/test", "e2e/test"];
const named = (suffix: string): string[] => TESTED.map((folder) => `${folder}/**/*.${suffix}.ts`);

export default defineConfig({
  ...resolution,
  test: {
    pool: "forks",
    // Many tests wait for real sockets: with one process for two cores, which is the default, most of the time is waiting.
    maxWorkers: 2,
    projects: [
      {
        ...resolution,
        test: {
          name: "unit",
          include: named("test"),
          exclude: [...named("property.test"), ...named("sim.test")],
        },
      },
      {
        ...resolution,
        // Pure all of them: nothing of one file is another's trouble, and modules are read once.
        test: { name: "property", include: named("property.test"), testTimeout: 30_000, isolate: false },
      },
      { ...resolution, test: { name: "sim", include: named("sim.test"), testTimeout: 30_000 } },
      { ...resolution, test: { name: "repo", include: ["tools/test/*.test.ts"], testTimeout: 60_000 } },
    ],
  },
});
