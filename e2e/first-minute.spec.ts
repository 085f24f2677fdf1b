import { expect } from "@playwright/test";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** Time after which the drivers are well into their race. */
const INTO_THE_RACE_MS = 25_000;
const WITHIN_MS = 10_000;

interface Place {
  readonly place: number;
  readonly drivers: number;
  readonly speedMps: number;
  readonly message: string;
}

interface DrivenWindow {
  readonly paceline: {
    readonly game: {
      readonly car: {
        readonly x: number;
        readonly y: number;
        readonly velocityX: number;
        readonly velocityY: number;
      };
    };
  };
}

/** In the page: returns the instruments when the own car is at speed among the others. */
function underWay(): Place | undefined {
  const { car, others } = (window as unknown as PageWindow & DrivenWindow).paceline.game;
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

test(
  "three who join together start together, and a fourth who comes late drives behind the last within 10 s",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer();
    const pages = [];
    for (let index = 0; index < 3; index++) pages.push(new RacePage(await enter("chromium")));
    await Promise.all(pages.map((page, index) => page.join(server.url, { name: `Driver ${index + 1}` })));
    for (const page of pages) {
      await page.waitForPhase("racing", 15_000);
      const seen = await page.browser.evaluate(() => ({
        others: (window as unknown as PageWindow).paceline.game.others.length,
        hasResults: !document.querySelector<HTMLElement>(".results")!.hidden,
      }));
      expect(seen).toEqual({ others: 2, hasResults: false });
    }
    for (const { browser } of pages) await browser.holdKey("ArrowUp");
    // The last driver has left the grid before the newcomer joins.
    for (const page of pages) {
      await page.waitFor(
        "to be on its way",
        () => (window as unknown as PageWindow).paceline.game.progressM > 120,
        { argument: undefined, timeoutMs: 20_000 },
      );
    }
    const late = new RacePage(await enter("chromium"));
    await late.join(server.url, { name: "Late" });
    await late.browser.holdKey("ArrowUp");
    const { message } = await late.waitFor("to drive among the others", amongOthers, {
      argument: undefined,
      timeoutMs: WITHIN_MS,
    });
    await late.browser.screenshot(screenshotFile("first-minute-people"));
    expect(message).toMatch(/^You joined behind Driver \d$/);
    for (const page of [...pages, late]) expect(page.browser.complaints).toEqual([]);
  },
);

/** In the page: returns the message on the screen when the newcomer is at speed near the others. */
function amongOthers(): { readonly message: string } | undefined {
  const { car, others } = (window as unknown as PageWindow & DrivenWindow).paceline.game;
  const message = document.querySelector(".message:not([hidden])")?.textContent ?? "";
  const isNear = others.some(({ x, y }) => Math.hypot(x - car.x, y - car.y) < 150);
  return isNear && Math.hypot(car.velocityX, car.velocityY) > 5 ? { message } : undefined;
}
