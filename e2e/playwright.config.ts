import { defineConfig } from "@playwright/test";

/** One scenario at a time: each drives several browsers, and what it measures must not be another's load. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../artefacts/e2e",
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env["CI"]),
  retries: 0,
  timeout: 120_000,
  globalTimeout: 640_000,
  reporter: [["line"], ["json"]],
  use: { video: "off", trace: "off" },
});
