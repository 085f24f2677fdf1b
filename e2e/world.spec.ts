import { copyFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "@playwright/test";
import type { RaceBrowser } from "./browsers/race-browser.js";
import { waitInPage } from "./browsers/race-browser.js";
import { screenshotFile, test } from "./scenario.js";

const ROOT = path.resolve(import.meta.dirname, "..");

interface WorldWindow {
  pacelineWorld?: {
    readonly visit: {
      readonly seen: { readonly length: number };
      readonly all: { readonly length: number };
      readonly near: { readonly now: number; readonly perSecond: readonly number[] };
      readonly whole: { readonly now: number };
      readonly choice: { readonly radiusM: number; readonly scheme: string };
    };
  };
}

function figures(browser: RaceBrowser) {
  return browser.evaluate(() => {
    const { all, choice, near, seen, whole } = (window as unknown as WorldWindow).pacelineWorld!.visit;
    const { radiusM, scheme } = choice;
    return { seen: seen.length, all: all.length, near: near.now, whole: whole.now, radiusM, scheme };
  });
}

/** Measures for some seconds, once everybody is there. */
async function measured(browser: RaceBrowser, seconds: number): Promise<void> {
  await waitInPage(
    browser,
    "the whole world",
    (wanted) => {
      const visit = (window as unknown as WorldWindow).pacelineWorld?.visit;
      return visit !== undefined && visit.all.length > 500 && visit.near.perSecond.length >= wanted;
    },
    { argument: seconds, timeoutMs: 30_000 },
  );
}

async function choose(browser: RaceBrowser, label: string, value: string): Promise<void> {
  await browser.evaluate(
    ({ name, wanted }) => {
      const control = document.querySelector<HTMLInputElement>(`[aria-label="${name}"]`)!;
      control.value = wanted;
      control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input"));
    },
    { name: label, wanted: value },
  );
}

test("a world of five hundred: a page gets what is near, for a part of the bytes", async ({
  startServer,
  enter,
  report,
}) => {
  const server = await startServer();
  const browser = await enter("chromium", { viewport: { width: 1280, height: 800 } });
  await browser.open(`${server.url}/world`);
  await measured(browser, 8);
  const start = await figures(browser);
  expect(start.all).toBe(501);
  expect(start.seen).toBeGreaterThan(5);
  expect(start.seen).toBeLessThan(150);
  expect(start.near).toBeLessThan(0.4 * start.whole);
  const legend = await browser.evaluate(() => document.querySelector(".legend")!.textContent);
  expect(legend).toMatch(/^\d+ of 501 walkers reach you$/);
  await browser.screenshot(screenshotFile("world"));
  if (process.env["UPDATE_PICTURES"])
    await copyFile(screenshotFile("world"), path.join(ROOT, "docs/images/world.png"));

  await choose(browser, "View", "4");
  await choose(browser, "Cells", "hexagons");
  await waitInPage(
    browser,
    "the wider view",
    (before) => {
      const { choice, seen } = (window as unknown as WorldWindow).pacelineWorld!.visit;
      return choice.radiusM === 240 && choice.scheme === "hexagons" && seen.length > 2 * before;
    },
    { argument: start.seen, timeoutMs: 15_000 },
  );
  const wide = await figures(browser);
  await browser.screenshot(screenshotFile("world-wide"));
  report({
    scenario: "a world of five hundred",
    browsers: "chromium",
    path: "server",
    note: `${start.seen} seen of ${start.all}: ${Math.round(start.near)} of ${Math.round(start.whole)} B/s; ${wide.seen} within 240 m`,
  });
  expect(browser.complaints).toEqual([]);
});
