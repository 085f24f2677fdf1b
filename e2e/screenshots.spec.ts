import { expect } from "@playwright/test";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
};
/** An empty canvas has one colour; the track alone has dozens. */
const LEAST_COLOURS = 10;

/**
 * In the page: returns the number of colours of the world, sampled at every tenth pixel in both directions.
 */
function coloursOfWorld(): number {
  const world = document.querySelector<HTMLCanvasElement>("canvas.world")!;
  const { data, width, height } = world.getContext("2d")!.getImageData(0, 0, world.width, world.height);
  const colours = new Set<number>();
  for (let y = 0; y < height; y += 10) {
    for (let x = 0; x < width; x += 10) {
      const at = 4 * (y * width + x);
      colours.add(data[at]! * 65_536 + data[at + 1]! * 256 + data[at + 2]!);
    }
  }
  return colours.size;
}

for (const [name, viewport] of Object.entries(SIZES)) {
  test(
    `the game and its panel at the size of a ${name}`,
    { tag: "@slow" },
    async ({ startServer, enter }) => {
      const server = await startServer(2);
      const page = new RacePage(await enter("chromium", { viewport }));
      await page.join(server.url);
      await page.waitFor(
        "two drivers",
        () => (window as unknown as PageWindow).paceline.game.others.length === 2,
        {
          argument: undefined,
          timeoutMs: 15_000,
        },
      );
      await page.waitForPhase("racing", 30_000);
      await page.drive(2000);
      await page.browser.screenshot(screenshotFile(`game-${name}`));
      await page.press("KeyP");
      await page.waitFor(
        "the panel to show both drivers",
        () => {
          const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
          return root?.querySelectorAll("[data-peer]").length === 2;
        },
        { argument: undefined, timeoutMs: 10_000 },
      );
      await page.browser.screenshot(screenshotFile(`panel-${name}`));
      expect(await page.browser.evaluate(coloursOfWorld)).toBeGreaterThan(LEAST_COLOURS);
      const overflow = await page.browser.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(page.browser.complaints).toEqual([]);
    },
  );
}
