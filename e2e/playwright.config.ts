import { defineConfig } from "@playwright/test";

/** Runs one scenario at a time: each drives several browsers, whose load would disturb other measurements. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../artefacts/e2e",
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env["CI"]),
  // Three browsers that render in software share two cores, so a stall is not always a fault of the SDK.
  // tools/e2e.mjs reports
  // the tests that needed a second try.
  retries: 1,
  timeout: 240_000,
  globalTimeout: 1_800_000,
  reporter: [["line"], ["json"]],
  use: { video: "off", trace: "off" },
});
