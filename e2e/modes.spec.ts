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
    // A spectator's keys move nobody, and are not sent.
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
  // Nothing better is looked for: the players have asked for the relay.
  await one.reaches(two, "relay", 1000);
  await one.browser.screenshot(screenshotFile("relay-mode"));
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});
