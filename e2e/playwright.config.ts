import { defineConfig } from "@playwright/test";

/** One scenario at a time: each drives several browsers, and what it measures must not be another's load. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../artefacts/e2e",
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env["CI"]),
  // Three browsers that render in software share two cores: a stall of one is not always a fault of ours. tools/e2e.mjs
  // says what needed its second try.
  retries: 1,
  timeout: 120_000,
  globalTimeout: 640_000,
  reporter: [["line"], ["json"]],
  use: { video: "off", trace: "off" },
});
