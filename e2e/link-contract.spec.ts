import path from "node:path";
import { expect, test } from "@playwright/test";
import { build } from "esbuild";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";

const PAGE = path.resolve(import.meta.dirname, "../packages/transport/test/browser/link-contract-page.ts");
/** Nothing answers here: the test itself serves what the page asks for. An address on loopback is a secure context. */
const ORIGIN = "http://127.0.0.1:4173/";

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [PAGE],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["@paceline/source"],
  });
  return outputFiles[0]!.text;
}

for (const name of ["chromium", "firefox"] as const) {
  test(`a WebRTC link keeps the contract of links in ${name}`, async () => {
    test.skip(executableOf(name) === undefined, `${name} is not installed`);
    const engine = await launchEngine(name);
    try {
      const page = await engine.newPage();
      const script = await bundle();
      await page.route(`${ORIGIN}**`, (route) =>
        route.request().url().endsWith("page.js")
          ? route.fulfill({ contentType: "text/javascript", body: script })
          : route.fulfill({
              contentType: "text/html",
              body: '<script type="module" src="/page.js"></script>',
            }),
      );
      await page.goto(ORIGIN);
      const outcomes = await page.evaluate(
        () => (globalThis as unknown as { linkContractOutcomes: Promise<unknown> }).linkContractOutcomes,
      );
      const kept = (outcomes as { title: string; failure?: string }[]).map(
        ({ title, failure }) => `${title}: ${failure ?? "kept"}`,
      );
      expect(kept.length).toBeGreaterThanOrEqual(9);
      expect(kept.filter((line) => !line.endsWith(": kept"))).toEqual([]);
    } finally {
      await engine.close();
    }
  });
}
