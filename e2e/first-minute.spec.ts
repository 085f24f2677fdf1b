import { expect } from "@playwright/test";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** The drivers are well into their race by then. */
const INTO_THE_RACE_MS = 25_000;
const WITHIN_MS = 10_000;

interface Place {
  readonly place: number;
  readonly drivers: number;
  readonly speedMps: number;
  readonly message: string;
}

/** In the page: the instruments, once the own car is at speed in mid-field. */
function underWay(): Place | undefined {
  const { car, others } = (
    window as unknown as PageWindow & {
      paceline: { game: { car: { x: number; y: number; velocityX: number; velocityY: number } } };
    }
  ).paceline.game;
  const speedMps = Math.hypot(car.velocityX, car.velocityY);
  const isAmongOthers = others.some(({ x, y }) => Math.hypot(x - car.x, y - car.y) < 150);
  const place = Number(document.querySelector(".place b")?.textContent);
  const drivers = Number(document.querySelector(".place span")?.textContent?.slice(1));
  if (speedMps < 5 || !isAmongOthers || place >= drivers) return undefined;
  return {
    place,
    drivers,
    speedMps,
    message: document.querySelector(".message:not([hidden])")?.textContent ?? "",
  };
}

test(
  "a newcomer in mid-race takes over a computer driver's car, and sees no board of a race it did not drive",
  { tag: "@slow" },
  async ({ startServer, enter, report }) => {
    const server = await startServer(4);
    await new Promise((resolve) => setTimeout(resolve, INTO_THE_RACE_MS));
    const page = new RacePage(await enter("chromium", { viewport: { width: 1280, height: 800 } }));
    await page.join(server.url);
    const joinedAtMs = Date.now();
    await page.browser.holdKey("ArrowUp");
    const { place, drivers, message } = await page.waitFor("to drive in mid-field", underWay, {
      argument: undefined,
      timeoutMs: WITHIN_MS,
    });
    const tookMs = Date.now() - joinedAtMs;
    await page.browser.screenshot(screenshotFile("first-minute"));
    await page.browser.releaseKey("ArrowUp");
    expect(message).toMatch(/^You took over \w+'s car$/);
    expect(place).toBeGreaterThan(1);
    expect(place).toBeLessThan(drivers);
    await page.waitFor(
      "the driver whose car it was, with another",
      () => (window as unknown as PageWindow).paceline.game.others.length === 4,
      { argument: undefined, timeoutMs: 15_000 },
    );
    expect(await page.browser.evaluate(() => document.querySelector<HTMLElement>(".results")!.hidden)).toBe(
      true,
    );
    report({
      scenario: "a newcomer in mid-race",
      browsers: "chromium and 4 computer drivers",
      path: "direct",
      note: `drives as ${place} of ${drivers} ${tookMs} ms after joining`,
    });
    expect(page.browser.complaints).toEqual([]);
  },
);
