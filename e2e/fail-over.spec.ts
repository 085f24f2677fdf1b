import { copyFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "@playwright/test";
import { assertAltText } from "./alt-text.js";
import { driveOnRoad } from "./road-driver.js";
import { RacePage, type Frame, type PageWindow } from "./race-page.js";
import { screenshotFile, test, type Fixtures } from "./scenario.js";

/** Longer than the game's own limit, which the test does not read. */
const TOAST_LIMIT_MS = 15_000;
const DRIVERS = 3;
/** A frame of a busy machine: a state made between the key and the kill counts on one side only. */
const TOOK_TOLERANCE_MS = 200;
/** Path of the README's picture. */
const PICTURE = path.resolve(import.meta.dirname, "../docs/images/race.png");

interface KillWindow extends PageWindow {
  killedAtMs: number;
}

/** In the page: records when K is pressed, before the game handles it. */
function noteKills(): void {
  addEventListener(
    "keydown",
    ({ code }) => {
      if (code === "KeyK")
        (window as unknown as KillWindow).killedAtMs = performance.timeOrigin + performance.now();
    },
    { capture: true },
  );
}

interface Seen {
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
  readonly ageMs: number;
}

function framesOf(frames: readonly Frame[], ownerId: string): Seen[] {
  return frames.flatMap(({ atMs, others }) =>
    others.filter((other) => other.ownerId === ownerId).map(({ x, y, ageMs }) => ({ atMs, x, y, ageMs })),
  );
}

/**
 * Returns the largest difference between a position and the linear continuation of the last frames, m. Uses
 * frames of 4 to
 * 100 ms.
 */
function largestStepM(seen: readonly Seen[], fromMs: number, toMs: number): number {
  let largest = 0;
  for (let at = 2; at < seen.length; at += 1) {
    const [a, b, c] = seen.slice(at - 2, at + 1) as [Seen, Seen, Seen];
    if (c.atMs < fromMs || c.atMs > toMs) continue;
    const spans = [b.atMs - a.atMs, c.atMs - b.atMs] as const;
    if (spans.some((ms) => ms < 4 || ms > 100)) continue;
    const [expectedX, expectedY] = [
      b.x + ((b.x - a.x) / spans[0]) * spans[1],
      b.y + ((b.y - a.y) / spans[0]) * spans[1],
    ];
    largest = Math.max(largest, Math.hypot(c.x - expectedX, c.y - expectedY));
  }
  return largest;
}

/** A lone visitor has direct paths to the computer drivers, kills one, and reads what was measured. */
async function killInMidRace(
  name: "chromium" | "firefox",
  { startServer, enter, report }: Pick<Fixtures, "startServer" | "enter" | "report">,
): Promise<void> {
  const server = await startServer(DRIVERS);
  const page = new RacePage(
    await enter(name, { beforeLoad: [noteKills], viewport: { width: 1280, height: 800 } }),
  );
  await page.join(server.url, { name: "Mara" });
  const directMs = Date.now();
  await page.waitFor(
    "direct paths to all drivers",
    (count) =>
      (window as unknown as PageWindow).paceline.room.peers.filter(({ path }) => path === "direct").length ===
      count,
    { argument: DRIVERS, timeoutMs: 20_000 },
  );
  const allDirectMs = Date.now() - directMs;
  await page.waitForPhase("racing", 40_000);
  await page.startRecording();
  const driving = driveOnRoad(page, 10_000);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  await page.browser.screenshot(screenshotFile(`fail-over-before-${name}`));
  await page.press("KeyK");
  const killed = await page.waitFor(
    "a path on the relay, and a toast",
    () => {
      const { room, game } = (window as unknown as PageWindow).paceline;
      const toast = document.querySelector<HTMLElement>(".toast.lost[data-toast^=path-]");
      const peer = room.peers.find(({ id }) => toast?.dataset["toast"] === `path-${id}`);
      const car = game.others.find(({ ownerId }) => ownerId === peer?.id);
      return (
        toast &&
        peer && {
          id: peer.id,
          path: peer.path,
          name: car?.name,
          title: toast.querySelector("b")?.textContent,
        }
      );
    },
    { argument: undefined, timeoutMs: 3000 },
  );
  expect(killed.path).toBe("relay");
  expect(killed.title).toBe(`${killed.name}: direct path died`);
  await page.browser.screenshot(screenshotFile(`fail-over-after-${name}`));
  const text = await page.waitFor(
    "the toast's figures",
    (id) => {
      const shown = document.querySelector<HTMLElement>(`[data-toast="path-${id}"] span`)?.textContent ?? "";
      return shown.includes("Largest step") && shown;
    },
    { argument: killed.id, timeoutMs: TOAST_LIMIT_MS },
  );
  await page.fetchRecording();
  await assertAltText(page, "race.png");
  const picture = screenshotFile(`fail-over-measured-${name}`);
  await page.browser.screenshot(picture);
  if (process.env["UPDATE_PICTURES"] && name === "chromium") await copyFile(picture, PICTURE);
  await driving;

  const figures =
    /^The relay took over in (\d+) ms\. Largest step (?:that you saw|outside your picture): ([\d.]+) m; ([\d.]+) m in the 2 s before\.(?: The direct path was back after [\d.]+ s\.)?$/.exec(
      text,
    );
  expect(figures, text).not.toBeNull();
  const [tookMs, largestM, usualM] = figures!.slice(1).map(Number) as [number, number, number];
  const killedAtMs = await page.browser.evaluate(() => (window as unknown as KillWindow).killedAtMs);
  const seen = framesOf(page.frames, killed.id);
  // The first frame with a state that was sent after the kill.
  const fresh = seen.find(({ atMs, ageMs }) => atMs - ageMs > killedAtMs);
  // The key is pressed shortly before the game handles it.
  expect(Math.abs(fresh!.atMs - killedAtMs - tookMs)).toBeLessThan(TOOK_TOLERANCE_MS);
  // The game measures until 1.5 s after the relay's first state, at the end of a frame.
  const endMs = fresh!.atMs + 1500;
  const nextFrameMs = seen.find(({ atMs }) => atMs >= endMs - 1)!.atMs;
  const stepM = largestStepM(seen, killedAtMs, nextFrameMs);
  expect(Math.abs(stepM - largestM), `measured ${stepM}, told ${largestM}`).toBeLessThan(0.0051);
  const calmM = largestStepM(seen, killedAtMs - 2000, killedAtMs);
  expect(Math.abs(calmM - usualM), `measured ${calmM}, told ${usualM}`).toBeLessThan(0.0051);
  report({
    scenario: "K kills the path to the nearest rival",
    browsers: `${name} and ${DRIVERS} computer drivers`,
    path: `direct (all after ${allDirectMs} ms), relay after ${tookMs} ms`,
    note: `largest step shown ${largestM} m, ${usualM} m in the 2 s before`,
  });
  expect(page.browser.complaints).toEqual([]);
}

test("a lone visitor kills a direct path to a computer driver, and reads what was measured", async ({
  startServer,
  enter,
  report,
}) => {
  await killInMidRace("chromium", { startServer, enter, report });
});

test("a visitor with Firefox kills a path, too", { tag: "@slow" }, async ({ startServer, enter, report }) => {
  await killInMidRace("firefox", { startServer, enter, report });
});

/** In the page: true if a message covers the start lights; undefined while the lights are off. */
function liesOverLights(): boolean | undefined {
  const lights = document.querySelector(".lights")!.getBoundingClientRect();
  if (lights.width === 0) return undefined;
  return [...document.querySelectorAll(".toast, .message")].some((element) => {
    const box = element.getBoundingClientRect();
    const isApart =
      box.right <= lights.left ||
      box.left >= lights.right ||
      box.bottom <= lights.top ||
      box.top >= lights.bottom;
    return box.width > 0 && !isApart;
  });
}

test(
  "the server is killed over the start lights, and the page says what goes on and when it is back",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer(2);
    const page = new RacePage(await enter("chromium", { viewport: { width: 390, height: 844 } }));
    await page.join(server.url);
    await page.waitFor(
      "direct paths to both drivers",
      () =>
        (window as unknown as PageWindow).paceline.room.peers.filter(({ path }) => path === "direct")
          .length === 2,
      { argument: undefined, timeoutMs: 20_000 },
    );
    await server.kill();
    const titleIs = (start: string): Promise<string> =>
      page.waitFor(
        `a toast that begins with "${start}"`,
        (wanted) => {
          const toast = document.querySelector("[data-toast=server]");
          return toast?.querySelector("b")?.textContent?.startsWith(wanted) && toast.textContent;
        },
        { argument: start, timeoutMs: 15_000 },
      );
    expect(await titleIs("The server is gone")).toContain("2 direct paths go on.");
    const lights = await page.browser.evaluate(liesOverLights);
    if (lights !== undefined) expect(lights).toBe(false);
    await page.browser.screenshot(screenshotFile("server-gone-phone"));
    await server.restart();
    expect(await titleIs("The server is back after")).toMatch(/after \d+\.\d s/);
    expect(await page.browser.evaluate(liesOverLights)).not.toBe(true);
    await page.browser.screenshot(screenshotFile("server-back-phone"));
    await page.waitFor(
      "the largest step that was seen",
      () =>
        /Largest step of any car that you saw: \d+\.\d\d m/.test(
          document.querySelector("[data-toast=server]")?.textContent ?? "",
        ),
      { argument: undefined, timeoutMs: 8000 },
    );
  },
);
