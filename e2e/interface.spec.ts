/**
 * Checks that no parts of the interface overlap, at several window sizes and in every phase that a player
 * sees.
 */
import path from "node:path";
import { expect } from "@playwright/test";
import axe from "axe-core";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** Size that every commit checks; `pnpm verify` checks the others as well. */
const QUICK_SIZE = "390x844";
const SIZES = {
  "390x844": { width: 390, height: 844, isTouch: true },
  "844x390": { width: 844, height: 390, isTouch: true },
  "1280x800": { width: 1280, height: 800, isTouch: false },
  "1920x1080": { width: 1920, height: 1080, isTouch: false },
  "320x480": { width: 320, height: 480, isTouch: true },
} as const;
/** Limits of the first load: bytes on the wire, and ms until the page is usable. */
const AIMS = { bytes: 130_000, interactiveMs: 1000 };

/** In the page: returns the parts of the interface that overlap or leave the window. */
function overlaps(): string[] {
  const parts = [
    ".place-card, .standings, .badge, .minimap, .speed-card, .chat-form, .lights, .results, .message, .wrong-way",
    ".toast, .tool, .touch-pad, .start-card",
  ].join(", ");
  const found = [...document.querySelectorAll<HTMLElement>(parts)];
  const panel = document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelector("aside");
  if (panel) found.push(panel);
  const shown = found.flatMap((element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    if (
      width === 0 ||
      height === 0 ||
      !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    )
      return [];
    const name = `${element.className || element.tagName} “${(element.textContent ?? "").slice(0, 18)}”`;
    return [{ element, name, left, top, right, bottom }];
  });
  const problems: string[] = [];
  shown.forEach((one, index) => {
    // A start screen that is longer than the window scrolls.
    const isCut =
      one.left < -0.5 || one.right > innerWidth + 0.5 || one.bottom > innerHeight + 0.5 || one.top < -0.5;
    if (isCut && !one.element.matches(".start-card")) problems.push(`${one.name} is cut off`);
    for (const other of shown.slice(index + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const [x, y] = [
        Math.min(one.right, other.right) - Math.max(one.left, other.left),
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
      ];
      if (x > 0.5 && y > 0.5)
        problems.push(`${one.name} lies on ${other.name} by ${x.toFixed(0)}x${y.toFixed(0)}`);
    }
  });
  return problems;
}

/** In the page: returns the buttons and fields that are too small for a thumb. */
function smallTargets(): string[] {
  return [
    ...document.querySelectorAll<HTMLElement>("button, select, input:not([type=radio]), .swatch"),
  ].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    const isShown = element.checkVisibility() && width > 0 && !element.matches(".link");
    return isShown && (width < 43.5 || height < 43.5) ? [`${element.className}: ${width}x${height}`] : [];
  });
}

/** In the page: returns the serious violations that axe finds. */
async function seriousFaults(): Promise<string[]> {
  const { axe } = globalThis as unknown as {
    readonly axe: {
      run(): Promise<{
        violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
      }>;
    };
  };
  const { violations } = await axe.run();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join(" ")}`);
}

for (const [size, { isTouch, ...viewport }] of Object.entries(SIZES)) {
  test(
    `nothing lies on anything else at ${size}`,
    { tag: size === QUICK_SIZE ? [] : "@slow" },
    async ({ startServer, enter }) => {
      const server = await startServer(4);
      const page = new RacePage(await enter("chromium", { viewport, hasTouch: isTouch }));
      const look = async (phase: string): Promise<void> => {
        await page.browser.screenshot(screenshotFile(`${phase}-${size}`));
        expect(await page.browser.evaluate(overlaps), phase).toEqual([]);
        if (isTouch) expect(await page.browser.evaluate(smallTargets), phase).toEqual([]);
      };
      await page.browser.open(server.url);
      await look("lobby");
      await page.join(server.url);
      await page.waitFor(
        "four drivers",
        () => (window as unknown as PageWindow).paceline.game.others.length === 4,
        { argument: undefined, timeoutMs: 15_000 },
      );
      const phase = await page.browser.evaluate(() => (window as unknown as PageWindow).paceline.game.phase);
      await look(phase);
      await page.waitForPhase("racing", 30_000);
      await page.drive(1500);
      await look("racing");
      await page.press("KeyP");
      await page.waitFor(
        "the panel",
        () =>
          (document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelectorAll("[data-peer]")
            .length ?? 0) > 3,
        { argument: undefined, timeoutMs: 10_000 },
      );
      await look("panel");
    },
  );
}

/** `PICTURES=1 pnpm e2e interface.spec.ts` regenerates the pictures of the panel and of links to the game. */
test("the pictures of the documents", async ({ startServer, enter }) => {
  test.skip(process.env["PICTURES"] === undefined, "only where they are wanted");
  const root = path.resolve(import.meta.dirname, "..");
  const server = await startServer(4);
  const page = new RacePage(await enter("chromium", { viewport: { width: 1200, height: 630 } }));
  await page.join(server.url);
  await page.waitForPhase("racing", 30_000);
  await page.drive(4000);
  await page.browser.screenshot(path.join(root, "apps/demo-game/public/og-image.jpg"));
  await page.press("KeyP");
  await page.drive(12_000);
  await page.browser.screenshot(path.join(root, "docs/images/panel.png"));
});

test("axe finds nothing serious in the lobby, in the race and in the panel", async ({
  startServer,
  enter,
}) => {
  const server = await startServer(2);
  const page = new RacePage(
    await enter("chromium", { viewport: SIZES["1280x800"], beforeLoad: [axe.source] }),
  );
  await page.browser.open(server.url);
  expect(await page.browser.evaluate(seriousFaults)).toEqual([]);
  await page.join(server.url);
  await page.waitForPhase("racing", 30_000);
  expect(await page.browser.evaluate(seriousFaults)).toEqual([]);
  await page.press("KeyP");
  await page.waitFor(
    "the panel",
    () => {
      const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
      for (const section of root?.querySelectorAll("details") ?? []) section.open = true;
      return root?.querySelector(".kind") !== null && root?.querySelector(".kind") !== undefined;
    },
    { argument: undefined, timeoutMs: 10_000 },
  );
  expect(await page.browser.evaluate(seriousFaults)).toEqual([]);
});

test(
  "long names, right-to-left text and HTML stay text, and in their places",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer();
    const evil = `<img src=x onerror="window.hurt=1">‮שלום`;
    const one = new RacePage(await enter("chromium", { viewport: SIZES["390x844"], hasTouch: true }));
    const other = new RacePage(await enter("firefox"));
    await one.join(server.url, { name: `${evil}${"W".repeat(500)}` });
    await other.join(server.url, { name: "مرحبا" });
    await one.sees(other);
    await other.browser.evaluate(
      (text) => (window as unknown as PageWindow).paceline.game.say(text),
      evil.repeat(3),
    );
    await one.waitFor(
      "the chat",
      () => document.querySelector(".chat-lines")?.textContent?.includes("שלום"),
      {
        argument: undefined,
        timeoutMs: 10_000,
      },
    );
    expect(await one.browser.evaluate(overlaps)).toEqual([]);
    const hurt = await one.browser.evaluate(
      () => "hurt" in window || document.querySelector("#app img") !== null,
    );
    expect(hurt).toBe(false);
    expect(
      await one.browser.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    await one.browser.screenshot(screenshotFile("long-names"));
  },
);

test(
  "sound begins with the first touch, and stays off once it was muted",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer();
    const page = new RacePage(await enter("chromium", { viewport: SIZES["390x844"], hasTouch: true }));
    const sound = (): Promise<string> =>
      page.browser.evaluate(
        () =>
          [...document.querySelectorAll(".tool")].find((tool) => tool.textContent?.startsWith("Sound"))
            ?.textContent ?? "",
      );
    const touch = (): Promise<void> =>
      page.browser.evaluate(() => {
        const pad = document.querySelector(".touch-go")!;
        for (const type of ["pointerdown", "pointerup"]) {
          pad.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "touch" }));
        }
      });
    await page.join(server.url);
    expect(await sound()).toBe("Sound off");
    await touch();
    await expect.poll(sound).toBe("Sound on");
    await page.browser.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>(".tool")]
        .find((tool) => tool.textContent === "Sound on")
        ?.click(),
    );
    expect(await sound()).toBe("Sound off");
    await page.join(server.url);
    await touch();
    await page.drive(500);
    expect(await sound()).toBe("Sound off");
  },
);

test("a browser without a canvas is told so", async ({ startServer, enter }) => {
  const server = await startServer();
  const refuse = (): void => {
    HTMLCanvasElement.prototype.getContext = () => null;
  };
  const page = new RacePage(await enter("chromium", { beforeLoad: [refuse] }));
  await page.browser.open(server.url);
  expect(await page.browser.evaluate(() => document.body.innerText)).toContain("no canvas to draw on");
  expect(page.browser.complaints).toEqual([]);
});

test("a server that is down gets a sentence, and a try at once", async ({ startServer, enter }) => {
  const server = await startServer();
  const page = new RacePage(await enter("chromium"));
  await page.browser.open(server.url);
  await server.kill();
  await page.press("Enter");
  const status = (): Promise<string> =>
    page.browser.evaluate(() => document.querySelector(".start-status")?.textContent ?? "");
  await expect.poll(status).toContain("does not answer");
  expect(await status()).toMatch(/Try now.*Cancel.*Trying again in \d s/);
  await page.browser.screenshot(screenshotFile("server-down"));
  await server.restart();
  await page.browser.evaluate(() =>
    document.querySelector<HTMLButtonElement>(".start-status .link")?.click(),
  );
  await page.rejoined("");
});

test("the first load is small and soon there", async ({ startServer, enter, report }) => {
  const server = await startServer();
  const page = new RacePage(await enter("chromium"));
  await page.browser.open(server.url);
  const { bytes, interactiveMs, longestTaskMs } = await page.browser.evaluate(async () => {
    const longest = new Promise<number>((resolve) => {
      const observer = new PerformanceObserver((list) =>
        resolve(Math.max(0, ...list.getEntries().map(({ duration }) => duration))),
      );
      observer.observe({ type: "longtask", buffered: true });
      setTimeout(() => resolve(0), 500);
    });
    const entries = [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ] as PerformanceResourceTiming[];
    return {
      bytes: entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      interactiveMs: performance.getEntriesByName("usable")[0]?.startTime ?? Number.NaN,
      longestTaskMs: await longest,
    };
  });
  report({
    scenario: "first load",
    browsers: "chromium",
    path: "",
    note:
      `${bytes} bytes (aim ${AIMS.bytes}), usable after ${interactiveMs.toFixed(0)} ms (aim ${AIMS.interactiveMs}), ` +
      `longest task ${longestTaskMs.toFixed(0)} ms`,
  });
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(AIMS.bytes);
});
