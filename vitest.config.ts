import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests run from source: the condition is the first entry in every package's `exports`. */
const conditions = ["@paceline/source"];
const resolution = { resolve: { conditions }, ssr: { resolve: { conditions } } };

const TESTED = ["packages/*/test", "apps/*/test", "e2e/test", "examples/test", "docs/test"];
const named = (suffix: string): string[] => TESTED.map((folder) => `${folder}/**/*.${suffix}.ts`);

/**
 * Each process loads modules once for all its test files, because loading takes longer than most tests. So a
 * test must undo its changes to anything outside itself; stubbed globals are restored for it. A file that
 * leaves other changes behind fails.
 */
const setupFiles = ["tools/test-guard.ts", "tools/plain-exports.ts"].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
);
const shared = { isolate: false, unstubGlobals: true, setupFiles };

/** Simulations of which `npm test` plays some cases (`someOf`), and the slow tier all. */
const MANY_CASES = [
  "apps/demo-game/test/slow-page.sim.test.ts",
  "examples/test/lockstep-games.sim.test.ts",
  "packages/client/test/path-bytes.sim.test.ts",
  "packages/client/test/soak.sim.test.ts",
  "packages/client/test/time.sim.test.ts",
  "packages/client/test/unsteady-lines.sim.test.ts",
  "packages/server/test/bad-lines.sim.test.ts",
  "packages/server/test/lossy-line.sim.test.ts",
  "packages/server/test/pauses.sim.test.ts",
  "packages/server/test/plan-explained.sim.test.ts",
  "packages/server/test/relayed-loss.sim.test.ts",
  "packages/server/test/restored-rooms.sim.test.ts",
  "packages/server/test/rewind-claims.sim.test.ts",
  "packages/transport/test/striped-link.sim.test.ts",
];

/** Ends a test that hangs. The longest computes for half a minute, but beside browsers it seldom has a core. */
const PATIENT_MS = 600_000;

export default defineConfig({
  ...resolution,
  test: {
    pool: "forks",
    // Many tests wait for real sockets. With one process for two cores, the default, most of the time would
    // be waiting.
    maxWorkers: 3,
    projects: [
      {
        ...resolution,
        test: {
          ...shared,
          name: "unit",
          include: named("test"),
          exclude: ["property.test", "sim.test", "heap.test", "slow.test"].flatMap(named),
          // Tests use real sockets on a machine that may be busy. Each wait has a limit of its own, with a
          // clearer message.
          testTimeout: 60_000,
        },
      },
      {
        ...resolution,
        test: { ...shared, name: "property", include: named("property.test"), testTimeout: PATIENT_MS },
      },
      {
        ...resolution,
        test: { ...shared, name: "sim", include: named("sim.test"), testTimeout: PATIENT_MS },
      },
      // In a process of their own: objects left by other files would count, and earlier calls of a function
      // decide how it is compiled.
      { ...resolution, test: { name: "heap", include: named("heap.test"), testTimeout: PATIENT_MS } },
      // A part of `pnpm verify`: `npm test` has only twelve minutes.
      {
        ...resolution,
        test: {
          ...shared,
          name: "slow",
          include: [...named("slow.test"), ...MANY_CASES],
          env: { PACELINE_ALL_CASES: "1" },
          testTimeout: 600_000,
        },
      },
      { ...resolution, test: { name: "repo", include: ["tools/test/*.test.ts"], testTimeout: PATIENT_MS } },
    ],
  },
});
