import { expect } from "@playwright/test";
import { countTotals, rememberTraffic } from "./peer-connections.js";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** One-way delay. */
const DELAY_MS = 200;
const LIMIT_MS = 30_000;

/** Opens all sections of the panel. */
function unfold(page: RacePage): Promise<void> {
  return page.browser.evaluate(() => {
    const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
    for (const section of root?.querySelectorAll("details") ?? []) section.open = true;
  });
}

/** Returns the text of one peer's row, or of the whole panel. */
function shownIn(page: RacePage, selector: string): Promise<string> {
  return page.browser.evaluate((wanted) => {
    const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
    return (root?.querySelector(wanted) as HTMLElement | null)?.innerText ?? "";
  }, selector);
}

async function shownRttMs(page: RacePage, peerId: string): Promise<number> {
  const text = await shownIn(page, `[data-peer="${peerId}"] dl`);
  return Number(/Round trip\s+([\d.]+) ms/.exec(text)?.[1] ?? Number.NaN);
}

/** Types a number into a field of the simulator and leaves the field. */
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
  const viewer = new RacePage(await enter("chromium", { framesPerDraw: 2 }));
  const other = new RacePage(await enter("firefox", { framesPerDraw: 2 }));
  for (const page of [viewer, other]) await page.join(server.url);
  await viewer.reaches(other, "direct");

  await viewer.browser.holdKey("KeyP");
  await viewer.browser.releaseKey("KeyP");
  const card = `[data-peer="${other.sessionId}"]`;
  await expect.poll(() => shownIn(viewer, card), { timeout: LIMIT_MS }).toContain("direct");
  await unfold(viewer);
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

test("the panel's bytes are those that the browser counts", async ({ startServer, enter, report }) => {
  const server = await startServer(2);
  const viewer = new RacePage(await enter("chromium", { beforeLoad: [rememberTraffic], framesPerDraw: 2 }));
  const other = new RacePage(await enter("firefox", { framesPerDraw: 2 }));
  for (const page of [viewer, other]) await page.join(server.url);
  await viewer.reaches(other, "direct");
  await viewer.press("KeyP");
  await viewer.waitFor(
    "the panel",
    () => Boolean(document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelector("details")),
    { argument: undefined, timeoutMs: LIMIT_MS },
  );
  await unfold(viewer);
  // Every answer of the decision tree stands below its drawing, with its rule.
  await expect.poll(() => shownIn(viewer, ".tree + ul"), { timeout: LIMIT_MS }).toContain("[PATHS-");
  const { shown, counted } = await viewer.browser.evaluate(countTotals, 12);
  for (const way of ["in", "out"] as const) {
    expect(shown[way]).toBeGreaterThan(1000);
    // The browser's own counters are some ms newer.
    expect(Math.abs(shown[way] - counted[way]) / counted[way]).toBeLessThan(0.05);
  }
  report({
    scenario: "panel's bytes",
    browsers: "chromium",
    path: "direct and relayed",
    note: `shown ${shown.in} in, ${shown.out} out; counted ${counted.in} in, ${counted.out} out`,
  });
});

test("the panel is used by keyboard alone", async ({ startServer, enter }) => {
  const server = await startServer(1);
  const page = new RacePage(await enter("chromium", { framesPerDraw: 2 }));
  await page.join(server.url);
  const focused = (): Promise<string> =>
    page.browser.evaluate(() => {
      const root = document.querySelector("[data-paceline-panel]")?.shadowRoot;
      return root?.activeElement
        ? (root.activeElement.textContent ?? "")
        : (document.activeElement?.tagName ?? "");
    });
  await page.press("KeyP");
  await expect.poll(() => shownIn(page, ".numbers"), { timeout: LIMIT_MS }).not.toBe("");
  // The keys still drive the car.
  expect(await focused()).toBe("BODY");
  await page.press("Tab");
  await page.press("Tab");
  expect(await focused()).toBe("Copy report");
  const summaries: string[] = [];
  for (let step = 0; step < 40 && !summaries.includes("Details"); step++) {
    await page.press("Tab");
    summaries.push(await focused());
  }
  expect(summaries).toEqual(
    expect.arrayContaining(["What is sent", "Why these paths", "What has changed", "Details"]),
  );
  await page.press("Enter");
  await expect.poll(() => shownIn(page, "ul.drops"), { timeout: LIMIT_MS }).not.toBe("");
  await page.press("Escape");
  expect(
    await page.browser.evaluate(() => document.querySelector("[data-paceline-panel][data-open]")),
  ).toBeNull();
});
