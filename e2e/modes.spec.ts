import { expect } from "@playwright/test";
import { RacePage, type PageWindow } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

test(
  "somebody watches a race that a server decides, and somebody comes late",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer();
    const driver = new RacePage(await enter("chromium"));
    const spectator = new RacePage(await enter("chromium"));
    await driver.join(server.url, { mode: "server", name: "Ann" });
    await spectator.join(server.url, { mode: "server", watch: "1", name: "Sue" });
    await spectator.sees(driver);
    await spectator.waitForPhase("racing", 30_000);
    await driver.drive(3000);
    const late = new RacePage(await enter("chromium"));
    await late.join(server.url, { mode: "server", name: "Ben" });
    await late.waitForPhase("racing", 5000);
    await spectator.sees(late);
    await late.sees(driver);
    const seen = await spectator.browser.evaluate(() => {
      const { room, game } = (window as unknown as PageWindow).paceline;
      const names = [...document.querySelectorAll(".standings *")].map(({ textContent }) => textContent);
      return { isSpectator: room.isSpectator, car: game.carNumber, others: game.others.length, names };
    });
    expect(seen).toMatchObject({ isSpectator: true, car: 0, others: 2 });
    expect(await watching(spectator)).toMatch(/^◀ Watching (Ann|Ben) ▶ \d+ ms behind$/);
    // A spectator's keys move no car, and are not sent.
    await spectator.press("KeyR");
    await spectator.drive(1000);
    const pages = [driver, spectator, late];
    for (const [index, page] of pages.entries()) {
      await page.browser.screenshot(screenshotFile(`watch-${["driver", "spectator", "late"][index]}`));
      expect(page.browser.complaints).toEqual([]);
    }
    const cars = await driver.browser.evaluate(
      () => (window as unknown as PageWindow).paceline.game.others.length,
    );
    expect(cars).toBe(1);
  },
);

test(
  "somebody watches a race among players from the lobby, and the arrows choose the car",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer();
    const drivers = [new RacePage(await enter("chromium")), new RacePage(await enter("chromium"))] as const;
    // The spectator joins first, and so directs a race in which it does not drive.
    const spectator = new RacePage(await enter("chromium", { viewport: { width: 1280, height: 800 } }));
    await spectator.browser.open(`${server.url}?name=Sue&color=%23ff00ff`);
    await spectator.browser.screenshot(screenshotFile("watch-lobby"));
    await spectator.browser.evaluate(() => {
      const buttons = [...document.querySelectorAll<HTMLButtonElement>(".start-card button")];
      buttons.find(({ textContent }) => textContent === "Watch")!.click();
    });
    await spectator.rejoined("");
    for (const [index, page] of drivers.entries())
      await page.join(server.url, { name: ["Ann", "Ben"][index]! });
    for (const page of drivers) await page.waitForPhase("racing", 30_000);
    await drivers[0].drive(3000);
    const first = await watching(spectator);
    expect(first).toMatch(/^◀ Watching (Ann|Ben) ▶ \d+ ms behind$/);
    await spectator.press("ArrowRight");
    const other = first.includes("Ann") ? "Ben" : "Ann";
    await spectator.waitFor(
      `the screen to say ${other}`,
      (name) => document.querySelector(".watched")?.textContent?.includes(name),
      { argument: `Watching ${other}`, timeoutMs: 3000 },
    );
    await spectator.browser.screenshot(screenshotFile("watch-mesh"));
    // The spectator does not count as a rival.
    for (const page of drivers) {
      const seen = await page.browser.evaluate(() => ({
        others: (window as unknown as PageWindow).paceline.game.others.map(({ name }) => name),
        drivers: document.querySelector(".place span")?.textContent,
      }));
      expect(seen.others).toHaveLength(1);
      expect(seen.drivers).toBe("/2");
    }
    for (const page of [...drivers, spectator]) expect(page.browser.complaints).toEqual([]);
  },
);

/** Returns the sentence on a spectator's screen about the car that it shows. */
function watching(page: RacePage): Promise<string> {
  return page.waitFor(
    "whom it watches, and how far behind",
    () => {
      const text = document.querySelector(".watched:not([hidden])")?.textContent ?? "";
      return /Watching .* ms behind/.test(text) && text;
    },
    { argument: undefined, timeoutMs: 10_000 },
  );
}

test("two browsers race through the relay, by choice", { tag: "@slow" }, async ({ startServer, enter }) => {
  const server = await startServer();
  const pages = [new RacePage(await enter("chromium")), new RacePage(await enter("chromium"))] as const;
  const [one, two] = pages;
  for (const page of pages) await page.join(server.url, { mode: "relay" });
  await one.sees(two);
  await two.sees(one);
  await one.reaches(two, "relay");
  await two.reaches(one, "relay");
  await one.waitForPhase("racing", 30_000);
  await one.drive(2000);
  // The players have chosen the relay, so the SDK does not look for a better path.
  await one.reaches(two, "relay", 1000);
  await one.browser.screenshot(screenshotFile("relay-mode"));
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});
