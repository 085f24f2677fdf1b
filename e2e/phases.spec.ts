/** Checks in every phase of the demo, at several window sizes, that no parts of the interface overlap. */
import { expect } from "@playwright/test";
import { RaceDirector } from "../apps/demo-game/test/race-director.js";
import { PlaywrightBrowser, type PageOptions, type WindowSize } from "./browsers/playwright-browser.js";
import type { RaceBrowser } from "./browsers/race-browser.js";
import { lengthenToasts, namedKeys, overlaps, smallTargets, speedFaults } from "./layout.js";
import type { RaceServer } from "./race-server.js";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

const PHONE = ["390x844", "844x390", "320x480"];
const DESK = ["1280x800", "1920x1080"];
/**
 * Two browsers side by side, as the README advises, on small and on large screens. The first four are the narrowest or
 * lowest windows for which the style sheet has rules of its own; the others have the same rules and more room.
 */
const MIDDLE = ["1280x800", "800x500", "701x800", "1024x768", "800x800", "900x700", "1000x600"];
/** Races with even numbers are on the second circuit, whose grid is on its longest straight. */
const RACES_APART = 2;
/** Two of five lamps are lit. */
const COUNTDOWN_MS = 2000;
/** The page shows the result of a race only if its car was driven for 150 m. */
const DRIVEN_M = 125;
/** The four drivers of the director, two pages, and two seats that the server keeps for pages that have left. */
const PLACES = 8;
const LIMIT_MS = 20_000;
/** Time for all phases at all sizes, each with a picture. */
const PICTURES_LIMIT_MS = 300_000;

interface Screens {
  readonly isTouch: boolean;
  readonly sizes: readonly string[];
  readonly hasPictures: boolean;
}

/** One page, in which the window takes each of its sizes in every phase. */
class View {
  readonly page: RacePage;
  readonly #screens: Screens;
  readonly #browser: PlaywrightBrowser;

  constructor(browser: RaceBrowser, screens: Screens) {
    if (!(browser instanceof PlaywrightBrowser)) throw new Error(`${browser.name} cannot resize its window`);
    this.#browser = browser;
    this.page = new RacePage(browser);
    this.#screens = screens;
  }

  /** Waits until `selector` is shown, and checks the layout at each size. */
  async look(phase: string, selector: string, renew?: () => Promise<void> | void): Promise<void> {
    for (const size of this.#screens.sizes) {
      await this.#browser.resize(sizeOf(size));
      await renew?.();
      await this.waitForElement(selector);
      await this.#browser.evaluate(draw);
      if (this.#screens.hasPictures) await this.#browser.screenshot(screenshotFile(`${phase}-${size}`));
      const place = `${phase} at ${size}`;
      expect.soft(await this.#browser.evaluate(overlaps), place).toEqual([]);
      expect.soft(await this.#browser.evaluate(speedFaults), place).toEqual([]);
      if (!this.#screens.isTouch) continue;
      expect.soft(await this.#browser.evaluate(smallTargets), place).toEqual([]);
      expect.soft(await this.#browser.evaluate(namedKeys), place).toEqual([]);
    }
  }

  waitForElement(selector: string): Promise<unknown> {
    return this.page.waitFor(
      `the element ${selector}`,
      (wanted) => document.querySelector(wanted)?.checkVisibility(),
      { argument: selector, timeoutMs: LIMIT_MS },
    );
  }

  showsInvitation(): Promise<boolean> {
    return this.page.browser.evaluate(() => document.querySelector(".invite")!.checkVisibility());
  }

  waitForPanel(): Promise<unknown> {
    return this.page.waitFor(
      "the panel with all drivers",
      () => {
        const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
        return (root?.querySelectorAll("[data-peer]").length ?? 0) > 3;
      },
      { argument: undefined, timeoutMs: LIMIT_MS },
    );
  }

  /** Opens the lobby at this address and presses its button. */
  async tryToJoin(address: string): Promise<void> {
    await this.#browser.open(address);
    await this.page.press("Enter");
    await this.waitForElement(".start-status.problem");
  }
}

/** In the page: resolves when the page has drawn once more, so that its car is where the new size has it. */
async function draw(): Promise<void> {
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

function sizeOf(size: string): WindowSize {
  const [width, height] = size.split("x").map(Number) as [number, number];
  return { width, height };
}

/** The phases of a driver: lobby, waiting, countdown, race, a message and a dead path, panel, results. */
async function drive(views: readonly View[], server: RaceServer, director: RaceDirector): Promise<void> {
  for (const view of views) {
    await view.page.browser.open(server.url);
    await view.look("lobby", ".start-card");
  }
  for (const { page } of views) await page.join(server.url);
  for (const view of views) await view.look("waiting", ".speed-card");

  let race = 0;
  const countDown = (): void => director.announce((race += RACES_APART), "countdown", COUNTDOWN_MS);
  for (const view of views) await view.look("countdown", ".lights", countDown);
  director.announce(race, "racing");
  for (const { page } of views) await page.browser.holdKey("ArrowUp");
  for (const view of views) await view.look("racing", ".speed-card");
  for (const { page } of views) {
    await page.waitFor(
      `to have driven ${DRIVEN_M} m`,
      (wantedM) => (window as unknown as PageWindow).paceline.game.progressM > wantedM,
      { argument: DRIVEN_M, timeoutMs: LIMIT_MS },
    );
    await page.browser.releaseKey("ArrowUp");
  }
  for (const view of views) {
    await view.page.browser.evaluate(() =>
      (window as unknown as PageWindow).paceline.game.say("A long line of chat. ".repeat(5)),
    );
    await view.page.press("KeyK");
    await view.look("path", ".race:has(.toast)", async () => {
      await view.page.press("KeyK");
      await view.page.browser.evaluate(lengthenToasts);
    });
    await view.page.press("KeyI");
    await view.look("invitation", ".invite .invite-code svg");
    await view.page.press("Escape");
    expect(await view.showsInvitation()).toBe(false);
    await view.page.press("KeyP");
    await view.waitForPanel();
    await view.look("panel", ".race");
    await view.page.press("KeyP");
    await view.page.press("KeyI");
    expect(await view.showsInvitation()).toBe(true);
  }
  director.announce(race, "results");
  for (const view of views) {
    await view.look("results", ".results");
    expect(await view.showsInvitation()).toBe(false);
    await view.page.press("KeyP");
    await view.waitForPanel();
    await view.look("results-panel", ".race");
    await view.page.press("KeyP");
  }
}

/** The phases of a spectator: the race, and its results. */
async function watch(views: readonly View[], server: RaceServer, director: RaceDirector): Promise<void> {
  const race = 100;
  director.announce(race, "racing");
  for (const { page } of views) await page.join(server.url, { watch: "1" });
  for (const view of views) await view.look("watching", ".watched");
  director.announce(race, "results");
  for (const view of views) await view.look("watching-results", ".results");
}

/** The start screen with each of its problems. */
async function fail(views: readonly View[], server: RaceServer, director: RaceDirector): Promise<void> {
  const problem = ".start-status.problem";
  for (const view of views) {
    await view.page.browser.evaluate(() => (window as unknown as PageWindow).paceline.room.leave());
    await view.look("left", problem);
    await view.page.browser.open(`${server.url}?spead=9&mode=nobody`);
    await view.look("wrong-address", problem);
    await view.tryToJoin(`${server.url}?room=AAAAAAAAAAAA`);
    await view.look("race-over", problem);
  }
  const full = `${server.url}?room=${director.roomId}`;
  await director.fill();
  for (const view of views) {
    await view.tryToJoin(full);
    await view.look("race-full", problem);
    await view.page.browser.open(server.url);
  }
  await director.leave();
  await server.kill();
  for (const view of views) {
    await view.page.press("Enter");
    await view.look("server-down", problem);
  }
}

/** A page to which the browser gives no canvas. */
function refuseCanvas(): void {
  HTMLCanvasElement.prototype.getContext = () => null;
}

const runs = [
  {
    // One race for both: most of a race is waiting.
    title: "nothing lies on anything else in any phase on a phone, and in windows of middle width",
    tag: [],
    screens: [
      { isTouch: true, sizes: PHONE.slice(0, 2), hasPictures: false },
      { isTouch: false, sizes: MIDDLE.slice(0, 4), hasPictures: false },
    ],
  },
  {
    title: "a picture of every phase at every size",
    tag: "@slow",
    screens: [
      { isTouch: true, sizes: PHONE, hasPictures: true },
      { isTouch: false, sizes: [...DESK, ...MIDDLE.slice(4)], hasPictures: true },
    ],
  },
];

for (const { title, tag, screens } of runs) {
  test(title, { tag }, async ({ startServer, enter }) => {
    if (screens.some(({ hasPictures }) => hasPictures)) test.setTimeout(PICTURES_LIMIT_MS);
    const server = await startServer(0, ["--rooms", `race:${PLACES}`]);
    const director = await RaceDirector.start(server.url);
    const open = async (more: PageOptions = {}): Promise<View[]> => {
      const views: View[] = [];
      for (const screen of screens) {
        const viewport = sizeOf(screen.sizes[0]!);
        views.push(
          new View(
            await enter("chromium", { viewport, hasTouch: screen.isTouch, framesPerDraw: 4, ...more }),
            screen,
          ),
        );
      }
      return views;
    };
    for (const view of await open({ beforeLoad: [refuseCanvas] })) {
      await view.page.browser.open(server.url);
      await view.look("no-canvas", ".no-canvas");
      await view.page.browser.close();
    }
    const views = await open();
    await drive(views, server, director);
    await watch(views, server, director);
    for (const { page } of views) expect(page.browser.complaints).toEqual([]);
    await fail(views, server, director);
  });
}
