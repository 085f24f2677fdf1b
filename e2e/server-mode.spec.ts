import { expect } from "@playwright/test";
import { ENOUGH_FRAMES, driveWithin } from "./drive-together.js";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/**
 * Limit of the distance between a car on one page and on its own driver's page at the same time. With
 * {@link ROUND_TRIP_MS}, eight measurements on a busy machine with two cores were 0.10 to 0.28 m.
 */
const BOUND_P95_M = 0.5;
const ROUND_TRIP_MS = 50;
const SERVER_MODE = { mode: "server" };
/** Time for three drives, each as long as a busy machine may need. */
const TIMEOUT_MS = 240_000;
/** Time in which clocks and prediction adapt to a change of the delay. */
const SETTLE_MS = 3000;

interface SimulatedWindow {
  paceline: { room: { transport: { simulate(settings: { delayMs: number } | undefined): Promise<void> } } };
}

/** Returns the number of the own car, which stays the same after a reload. */
function carOf(page: RacePage): Promise<number> {
  return page.waitFor("a car of one's own", () => (window as unknown as PageWindow).paceline.game.carNumber, {
    argument: undefined,
    timeoutMs: 8000,
  });
}

test("two browsers race where a server decides, and one reloads", async ({ startServer, enter, report }) => {
  test.setTimeout(TIMEOUT_MS);
  const server = await startServer();
  const chromium = new RacePage(await enter("chromium"));
  const firefox = new RacePage(await enter("firefox"));
  const pages = [chromium, firefox];
  const pairs = [
    { viewer: chromium, driver: firefox },
    { viewer: firefox, driver: chromium },
  ];
  for (const page of pages) await page.join(server.url, SERVER_MODE);
  for (const { viewer, driver } of pairs) await viewer.sees(driver);
  for (const page of pages) await page.waitForPhase("racing", 30_000);
  for (const { browser } of pages) {
    await browser.evaluate(
      (delayMs) => (window as unknown as SimulatedWindow).paceline.room.transport.simulate({ delayMs }),
      ROUND_TRIP_MS / 2,
    );
  }
  await Promise.all(pages.map((page) => page.drive(SETTLE_MS)));
  const errors = await driveWithin(pages, pairs, BOUND_P95_M);
  for (const page of pages) await page.browser.screenshot(screenshotFile(`server-mode-${page.name}`));
  for (const [index, { viewer, driver }] of pairs.entries()) {
    const error = errors[index]!;
    report({
      scenario: "two browsers race where a server decides",
      browsers: `${viewer.name} sees ${driver.name}`,
      path: `server, round trip ${ROUND_TRIP_MS} ms`,
      error,
    });
    expect.soft(driver.drivenM, `metres driven in ${driver.name}`).toBeGreaterThan(10);
    const shown = `undisturbed frames in which ${viewer.name} showed ${driver.name}`;
    expect.soft(error.count, shown).toBeGreaterThanOrEqual(ENOUGH_FRAMES);
    expect.soft(error.p95M, `${viewer.name} sees ${driver.name}, p95`).toBeLessThan(BOUND_P95_M);
  }

  const before = await carOf(chromium);
  const sessionId = chromium.sessionId;
  await chromium.join(server.url, SERVER_MODE);
  expect(chromium.sessionId).toBe(sessionId);
  expect(await carOf(chromium)).toBe(before);
  await chromium.waitForPhase("racing", 5000);
  await firefox.sees(chromium);
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});
