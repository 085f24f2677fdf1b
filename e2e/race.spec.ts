import { expect } from "@playwright/test";
import { driveWithin } from "./drive-together.js";
import { BOUND_P95_M } from "./position-error.js";
import { RacePage } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** A larger error would be a visible jump. */
const BOUND_MAX_M = 10;
const LEAST_DRIVEN_M = 30;

test("three browsers in one race", async ({ startServer, enter, report }) => {
  const server = await startServer();
  const chromium = new RacePage(await enter("chromium"));
  const firefox = new RacePage(await enter("firefox"));
  const webkit = new RacePage(await enter("webkitgtk"));
  const pages = [chromium, firefox, webkit];
  const pairs = pages.flatMap((viewer) =>
    pages.filter((driver) => driver !== viewer).map((driver) => ({ viewer, driver })),
  );
  for (const page of pages) await page.join(server.url);
  for (const { viewer, driver } of pairs) await viewer.sees(driver);

  await chromium.reaches(firefox, "direct");
  await firefox.reaches(chromium, "direct");
  expect(await chromium.reaches(webkit, "relay")).toContain("WebRTC");
  expect(await webkit.reaches(firefox, "relay")).toContain("WebRTC");

  for (const page of pages) await page.waitForPhase("racing", 30_000);
  const errors = await driveWithin(pages, pairs, BOUND_P95_M);
  for (const page of pages) await page.browser.screenshot(screenshotFile(`race-${page.name}`));

  for (const page of pages)
    expect(page.drivenM, `metres driven in ${page.name}`).toBeGreaterThan(LEAST_DRIVEN_M);
  for (const [index, { viewer, driver }] of pairs.entries()) {
    const isDirect = viewer !== webkit && driver !== webkit;
    const error = errors[index]!;
    report({
      scenario: "three browsers in one race",
      browsers: `${viewer.name} sees ${driver.name}`,
      path: isDirect ? "direct" : "relay",
      // The page that came first only waited for the other.
      ...(pages.indexOf(viewer) > pages.indexOf(driver) ? await viewer.connectTimes(driver) : {}),
      error,
    });
    expect.soft(error.count, `frames in which ${viewer.name} showed ${driver.name}`).toBeGreaterThan(30);
    expect.soft(error.p95M, `${viewer.name} sees ${driver.name}, p95`).toBeLessThan(BOUND_P95_M);
    expect.soft(error.maxM, `${viewer.name} sees ${driver.name}, max`).toBeLessThan(BOUND_MAX_M);
  }
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});
