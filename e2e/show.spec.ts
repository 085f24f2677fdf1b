import { copyFile, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { expect } from "@playwright/test";
import sharp from "sharp";
import type { RaceBrowser } from "./browsers/race-browser.js";
import { waitInPage } from "./browsers/race-browser.js";
import { screenshotFile, test } from "./scenario.js";

const ROOT = path.resolve(import.meta.dirname, "..");
const NAME = "what-the-network-does.webp";
const FRAMES = 72;
const FRAME_MS = 83;
const MAX_BYTES = 3_000_000;

interface Figures {
  readonly errorM: number;
  readonly bytesPerSecond: number;
}

type Lanes = Readonly<Record<"raw" | "interpolated" | "paceline", Figures>>;

interface ShowWindow {
  pacelineShow?: { advance(ms: number): void; readonly figures: Lanes };
}

async function openShow(browser: RaceBrowser, url: string): Promise<void> {
  await browser.open(`${url}/?show=1`);
  await waitInPage(browser, "the show", () => (window as unknown as ShowWindow).pacelineShow !== undefined, {
    argument: undefined,
    timeoutMs: 15_000,
  });
}

function figures(browser: RaceBrowser): Promise<Lanes> {
  return browser.evaluate(() => (window as unknown as ShowWindow).pacelineShow!.figures);
}

function advance(browser: RaceBrowser, ms: number): Promise<void> {
  return browser.evaluate((span) => {
    const { advance: step } = (window as unknown as ShowWindow).pacelineShow!;
    for (let left = span; left > 0; left -= 80) step(Math.min(80, left));
  }, ms);
}

/** Returns the figures that the page shows. */
function written(browser: RaceBrowser, lane: keyof Lanes): Promise<string[]> {
  return browser.evaluate(
    (name) =>
      [...document.querySelectorAll(`.show-lane.${name} dd`)].map(({ textContent }) => textContent ?? ""),
    lane,
  );
}

async function move(browser: RaceBrowser, label: string, value: number): Promise<void> {
  await browser.evaluate(
    ({ name, wanted }) => {
      const row = [...document.querySelectorAll(".show-sliders label")].find(({ textContent }) =>
        textContent?.startsWith(name),
      );
      const input = row!.querySelector("input")!;
      input.value = String(wanted);
      input.dispatchEvent(new Event("input"));
    },
    { name: label, wanted: value },
  );
}

test("one rival three ways: the figures under the pictures, at the same bytes, over a worse line", async ({
  startServer,
  enter,
  report,
}) => {
  const server = await startServer();
  const browser = await enter("chromium", { viewport: { width: 1280, height: 800 } });
  await openShow(browser, server.url);
  await advance(browser, 6000);
  const free = await figures(browser);
  expect(free.paceline.errorM).toBeLessThan(free.raw.errorM / 5);
  expect(free.paceline.bytesPerSecond).toBeLessThan(free.raw.bytesPerSecond);
  for (const lane of ["raw", "interpolated", "paceline"] as const) {
    const { errorM, bytesPerSecond } = free[lane];
    expect(await written(browser, lane)).toEqual([
      `${errorM.toFixed(2)} m`,
      `${Math.round(bytesPerSecond)} B/s`,
    ]);
  }
  await browser.screenshot(screenshotFile("show"));

  await browser.evaluate(() => document.querySelector<HTMLElement>(".show-button")!.click());
  await advance(browser, 6000);
  const equal = await figures(browser);
  expect(equal.raw.bytesPerSecond).toBeLessThan(equal.paceline.bytesPerSecond * 1.15);
  expect(equal.raw.errorM).toBeGreaterThan(free.raw.errorM);
  await browser.screenshot(screenshotFile("show-same-bytes"));

  await move(browser, "Delay", 150);
  await move(browser, "Loss", 10);
  await advance(browser, 6000);
  const worse = await figures(browser);
  expect(worse.raw.errorM).toBeGreaterThan(equal.raw.errorM);
  await browser.screenshot(screenshotFile("show-worse-line"));
  for (const [name, lanes] of Object.entries({ free, equal, worse })) {
    const words = Object.entries(lanes).map(
      ([lane, { errorM, bytesPerSecond }]) =>
        `${lane} ${errorM.toFixed(2)} m ${Math.round(bytesPerSecond)} B/s`,
    );
    report({ scenario: "one rival three ways", browsers: "chromium", path: name, note: words.join(", ") });
  }
  expect(browser.complaints).toEqual([]);
});

test("the show on a phone", { tag: "@slow" }, async ({ startServer, enter }) => {
  const server = await startServer();
  const browser = await enter("chromium", { viewport: { width: 390, height: 844 } });
  await openShow(browser, server.url);
  await advance(browser, 3000);
  await browser.screenshot(screenshotFile("show-phone"));
  const overflow = await browser.evaluate(() => {
    const show = document.querySelector(".show")!;
    return show.scrollWidth - show.clientWidth;
  });
  expect(overflow).toBeLessThanOrEqual(0);
});

test(
  "six seconds of the show are recorded as an animation",
  { tag: "@slow" },
  async ({ startServer, enter, report }) => {
    const server = await startServer();
    const browser = await enter("chromium", { viewport: { width: 1000, height: 560 } });
    await openShow(browser, server.url);
    await advance(browser, 2000);
    const folder = path.join(ROOT, "artefacts/show");
    await mkdir(folder, { recursive: true });
    const frames: string[] = [];
    for (let frame = 0; frame < FRAMES; frame += 1) {
      await advance(browser, FRAME_MS);
      const file = path.join(folder, `${String(frame).padStart(3, "0")}.png`);
      await browser.screenshot(file);
      frames.push(file);
    }
    const animation = path.join(ROOT, "artefacts", NAME);
    await sharp(frames, { join: { animated: true } })
      .webp({ quality: 70, effort: 4, loop: 0, delay: Array.from(frames, () => FRAME_MS) })
      .toFile(animation);
    const { pages, delay } = await sharp(animation, { animated: true }).metadata();
    const { size } = await stat(animation);
    expect(pages).toBe(FRAMES);
    expect(delay!.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(5900);
    expect(size).toBeLessThan(MAX_BYTES);
    report({ scenario: "the show as an animation", browsers: "chromium", path: NAME, note: `${size} bytes` });
    if (process.env["UPDATE_PICTURES"]) await copyFile(animation, path.join(ROOT, "docs/images", NAME));
  },
);
