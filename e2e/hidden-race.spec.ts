import { expect, type Page } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";
import { withHideablePages } from "./browsers/hideable-browser.js";
import type { PageWindow } from "./race-page.js";
import { test } from "./scenario.js";

const DRIVERS = 2;
const HIDDEN_MS = 60_000;
/** Time in which the page shows the race of this moment again. */
const BACK_MS = 3000;

interface Seen {
  readonly state: string;
  readonly sessionId: string;
  readonly others: readonly { ownerId: string; x: number; y: number }[];
  readonly isOut: boolean;
}

function look(page: Page): Promise<Seen> {
  return page.evaluate(() => {
    const { room, game } = (window as unknown as PageWindow).paceline;
    return {
      state: room.state,
      sessionId: room.sessionId,
      others: game.others.map(({ ownerId, x, y }) => ({ ownerId, x, y })),
      isOut: document.querySelector(".start")?.checkVisibility() === true,
    };
  });
}

test(
  "a race in a tab that is hidden for a minute is the same race afterwards, and is driven on",
  { tag: "@slow" },
  async ({ startServer, report }) => {
    test.setTimeout(180_000);
    const executable = executableOf("chromium");
    test.skip(executable === undefined, "chromium is not installed");
    const server = await startServer(DRIVERS);
    await withHideablePages(executable!, async (context) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`${server.url}?autostart=1&name=Ann`);
      await page.waitForFunction(
        (count) => (window as unknown as Partial<PageWindow>).paceline?.game.others.length === count,
        DRIVERS,
      );
      const before = await look(page);
      const other = await context.newPage();
      await other.bringToFront();
      await expect.poll(() => page.evaluate(() => document.visibilityState)).toBe("hidden");
      await new Promise((resolve) => setTimeout(resolve, HIDDEN_MS));
      await page.bringToFront();
      await expect.poll(() => page.evaluate(() => document.visibilityState)).toBe("visible");
      await new Promise((resolve) => setTimeout(resolve, BACK_MS));

      const after = await look(page);
      expect(after).toMatchObject({ state: "joined", sessionId: before.sessionId, isOut: false });
      expect(after.others).toHaveLength(DRIVERS);
      // The drivers race on, or wait on the grid for the next race; the own car obeys in both cases.
      await page.keyboard.down("ArrowUp");
      await page.waitForFunction(
        () => Number(document.querySelector(".speed b")?.textContent) > 20,
        undefined,
        { timeout: 30_000 },
      );
      await page.keyboard.up("ArrowUp");
      const states = await page.evaluate(() =>
        (window as unknown as PageWindow).paceline.room.peers.map(({ path }) => path),
      );
      report({
        scenario: "a tab that is hidden for a minute",
        browsers: `chromium and ${DRIVERS} computer drivers`,
        path: states.join(", "),
        note: `${after.others.length} cars shown ${BACK_MS} ms after it, the own car drives`,
      });
      expect(complaints).toEqual([]);
    });
  },
);
