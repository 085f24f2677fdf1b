import path from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { build } from "esbuild";
import { executableOf } from "../tools/browsers.mjs";
import { withHideablePages } from "./browsers/hideable-browser.js";
import { launchEngine } from "./browsers/playwright-browser.js";

const PAGE = path.resolve(import.meta.dirname, "../packages/transport/test/browser/hidden-page.ts");
const ORIGIN = "http://127.0.0.1:4174/";
const MEASURED_MS = 4000;

interface Counts {
  readonly page: number;
  readonly sdk: number;
}

/** Serves the page, with a content security policy that allows or forbids Workers. */
async function open(page: Page, policy = ""): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [PAGE],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    conditions: ["@paceline/source"],
  });
  const headers = policy === "" ? {} : { "content-security-policy": policy };
  const body = `<!doctype html><script>${outputFiles[0]!.text}</script>`;
  await page.route(ORIGIN, (route) => route.fulfill({ contentType: "text/html", headers, body }));
  await page.goto(ORIGIN);
}

/** Returns the ticks per second of the page's own timers and of the SDK's, and the page's visibility. */
async function rates(page: Page): Promise<Counts & { readonly visibility: string }> {
  return await page.evaluate(async (durationMs) => {
    const { counts } = window as unknown as { counts: Counts };
    const [before, beganMs] = [{ ...counts }, performance.now()];
    await new Promise((resolve) => setTimeout(resolve, durationMs));
    const seconds = (performance.now() - beganMs) / 1000;
    return {
      page: (counts.page - before.page) / seconds,
      sdk: (counts.sdk - before.sdk) / seconds,
      visibility: document.visibilityState,
    };
  }, MEASURED_MS);
}

test("in a hidden page of Chromium the page's timers starve, and the SDK's go on", async () => {
  const executable = executableOf("chromium");
  test.skip(executable === undefined, "chromium is not installed");
  await withHideablePages(executable!, async (context) => {
    const page = await context.newPage();
    await open(page);
    const seen = await rates(page);
    expect(seen.sdk).toBeGreaterThan(20);
    const other = await context.newPage();
    await other.bringToFront();
    await expect.poll(() => page.evaluate(() => document.visibilityState)).toBe("hidden");
    const hidden = await rates(page);
    expect(hidden.visibility).toBe("hidden");
    expect(hidden.page).toBeLessThan(5);
    expect(hidden.sdk).toBeGreaterThan(20);
  });
});

for (const name of ["chromium", "firefox"] as const) {
  test(
    `the SDK's timers are a Worker's in ${name}, and the page's own where a policy forbids it`,
    { tag: "@slow" },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      const engine = await launchEngine(name);
      try {
        for (const policy of ["", "worker-src 'none'"]) {
          const page = await engine.newPage();
          const isAllowed = policy === "";
          // Stops the page's timers, for browsers that cannot hide a page on command.
          if (isAllowed) await page.addInitScript(() => Object.assign(window, { setInterval: () => 0 }));
          await open(page, policy);
          const { page: own, sdk } = await rates(page);
          expect(sdk).toBeGreaterThan(20);
          if (isAllowed) expect(own).toBe(0);
          await page.close();
        }
      } finally {
        await engine.close();
      }
    },
  );
}
