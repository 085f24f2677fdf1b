import { expect } from "@playwright/test";
import jsqr from "jsqr";
import sharp from "sharp";
import { RacePage } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

/** Returns the link that the page's Invite button shows, as text and as a QR code that can be read. */
async function linkOf(page: RacePage): Promise<string> {
  // The grid closes the box, and the first grid of a race may follow the join by half a second.
  await page.waitForPhase("racing", 30_000);
  await page.press("KeyI");
  const link = await page.waitFor(
    "a link with its QR code",
    () => {
      const box = document.querySelector(".invite:not([hidden])");
      if (!box?.querySelector(".invite-code svg")) return undefined;
      return box.querySelector<HTMLInputElement>(".invite-link")?.value;
    },
    { argument: undefined, timeoutMs: 5000 },
  );
  const picture = screenshotFile(`invite-${page.name}`);
  await page.browser.screenshot(picture);
  expect(await qrTextIn(picture)).toBe(link);
  await page.press("KeyI");
  return link;
}

async function qrTextIn(picture: string): Promise<string | undefined> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

/** Opens the page and presses Race; resolves with the message of the start screen if the page cannot join. */
async function refusal(page: RacePage, url: string): Promise<string> {
  await page.browser.open(url);
  await page.press("Enter");
  return page.waitFor(
    "an answer of the start screen",
    () => document.querySelector(".start-status.problem")?.textContent ?? undefined,
    { argument: undefined, timeoutMs: 10_000 },
  );
}

function queryOf(link: string): Record<string, string> {
  return Object.fromEntries(new URL(link).searchParams);
}

for (const mode of ["mesh", "server"]) {
  test(
    `an invitation leads into the same race (${mode})`,
    { tag: mode === "server" ? "@slow" : [] },
    async ({ startServer, enter }) => {
      const server = await startServer();
      const chromium = new RacePage(await enter("chromium", { framesPerDraw: 2 }));
      const firefox = new RacePage(await enter("firefox", { framesPerDraw: 2 }));
      await chromium.join(server.url, { mode, room: "fox-42" });
      const link = await linkOf(chromium);
      expect(queryOf(link)).toEqual({ mode, room: "fox-42" });
      await firefox.join(server.url, queryOf(link));
      const webkit = new RacePage(await enter("webkitgtk"));
      await webkit.join(server.url, queryOf(link));
      for (const page of [firefox, webkit]) {
        await page.sees(chromium);
        await chromium.sees(page);
      }
      for (const page of [chromium, firefox]) expect(page.browser.complaints).toEqual([]);
    },
  );
}

test(
  "a race with anybody has a link too; a full race and a race that is over say so",
  { tag: "@slow" },
  async ({ startServer, enter }) => {
    const server = await startServer(0, ["--rooms", "race:2"]);
    const chromium = new RacePage(await enter("chromium", { framesPerDraw: 2 }));
    const firefox = new RacePage(await enter("firefox", { framesPerDraw: 2 }));
    await chromium.join(server.url);
    const link = await linkOf(chromium);
    await firefox.join(server.url, queryOf(link));
    await firefox.sees(chromium);

    const third = new RacePage(await enter("chromium", { framesPerDraw: 2 }));
    expect(await refusal(third, link)).toContain("This race is full");
    await third.browser.screenshot(screenshotFile("race-full"));
    expect(await refusal(third, `${server.url}?room=AAAAAAAAAAAA`)).toContain("This race is over");

    // Without a link the third driver gets a new race, and a message that explains why it is alone.
    await third.join(server.url);
    const toast = await third.waitFor(
      "the news of the full race",
      () => document.querySelector('[data-toast="room"]')?.textContent ?? undefined,
      { argument: undefined, timeoutMs: 5000 },
    );
    expect(toast).toContain("The race before this one was full");
    expect(toast).toContain("You opened another one");
    await third.browser.screenshot(screenshotFile("race-elsewhere"));

    await third.browser.open(`${server.url}?spead=9`);
    const said = await third.waitFor(
      "the start screen's word about the address",
      () => document.querySelector(".start-status.problem")?.textContent ?? undefined,
      { argument: undefined, timeoutMs: 5000 },
    );
    expect(said).toContain("spead");
  },
);
