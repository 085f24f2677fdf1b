import { expect } from "@playwright/test";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** Each way. */
const DELAY_MS = 200;
const LIMIT_MS = 30_000;

/** Text of one peer's card, or of the whole panel. */
function shownIn(page: RacePage, selector: string): Promise<string> {
  return page.browser.evaluate((wanted) => {
    const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
    return (root?.querySelector(wanted) as HTMLElement | null)?.innerText ?? "";
  }, selector);
}

async function shownRttMs(page: RacePage, peerId: string): Promise<number> {
  const text = await shownIn(page, `[data-peer="${peerId}"] dl`);
  return Number(/RTT\s+([\d.]+) ms/.exec(text)?.[1] ?? Number.NaN);
}

/** Types a number into a field of the simulator, as somebody does who leaves the field afterwards. */
function pretend(page: RacePage, field: string, value: number): Promise<void> {
  return page.browser.evaluate(
    ([name, text]) => {
      const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
      const input = root?.querySelector<HTMLInputElement>(`input[name="${name}"]`);
      if (!input) throw new Error(`no field ${name}`);
      input.value = text;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    [field, String(value)] as const,
  );
}

test("the panel shows the paths, and its simulator acts on the real links", async ({
  startServer,
  enter,
  report,
}) => {
  const server = await startServer();
  const viewer = new RacePage(await enter("chromium"));
  const other = new RacePage(await enter("firefox"));
  for (const page of [viewer, other]) await page.join(server.url);
  await viewer.reaches(other, "direct");

  await viewer.browser.holdKey("KeyP");
  await viewer.browser.releaseKey("KeyP");
  const card = `[data-peer="${other.sessionId}"]`;
  await expect.poll(() => shownIn(viewer, card), { timeout: LIMIT_MS }).toContain("direct");
  await expect.poll(() => shownIn(viewer, card)).toContain("a probe went both ways");
  const rttMs = (): Promise<number> => shownRttMs(viewer, other.sessionId);
  await expect.poll(rttMs, { timeout: LIMIT_MS }).toBeLessThan(DELAY_MS);

  await pretend(viewer, "delayMs", DELAY_MS);
  await expect.poll(rttMs, { timeout: LIMIT_MS }).toBeGreaterThan(2 * DELAY_MS - 50);
  await expect.poll(() => shownIn(viewer, "ol")).toContain(`delay ${DELAY_MS} ms, each way`);
  const slowMs = await rttMs();
  await viewer.browser.screenshot(screenshotFile("panel-with-simulated-delay"));

  await pretend(viewer, "delayMs", 0);
  await expect.poll(rttMs, { timeout: LIMIT_MS }).toBeLessThan(DELAY_MS);
  const history = await viewer.browser.evaluate(
    () => (window as unknown as PageWindow).paceline.room.transport.history,
  );
  expect(history.filter(({ about }) => about === "simulated network").map(({ choice }) => choice)).toEqual([
    `delay ${DELAY_MS} ms, each way`,
    "none",
  ]);
  expect(await viewer.browser.evaluate(() => (window as unknown as PageWindow).paceline.room.state)).toBe(
    "joined",
  );
  report({
    scenario: "panel",
    browsers: "chromium and firefox",
    path: "direct",
    note: `RTT ${slowMs} ms with ${DELAY_MS} ms of simulated delay each way, ${await rttMs()} ms after it`,
  });
});
