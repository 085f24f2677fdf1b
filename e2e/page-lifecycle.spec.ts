import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium, expect, test, type Browser, type Page } from "@playwright/test";
import { GameServer } from "../packages/client/test/game-server.js";
import type { PlayerRecord } from "../packages/client/test/browser/lifecycle-page.js";
import { executableOf } from "../tools/browsers.mjs";
import { servePlayerPage } from "./page-script.js";

const OUTAGE_MS = 2500;

interface Player {
  readonly record: PlayerRecord;
  enter(serverUrl: string): Promise<string>;
  send(from: number, to: number): void;
  peers(): number;
}

interface PlayerWindow {
  readonly player: Player;
}

/** Opens a page that has joined the room. */
async function player(browser: Browser, origin: string, serverUrl: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(origin);
  await enter(page, serverUrl);
  return page;
}

const enter = (page: Page, serverUrl: string): Promise<string> =>
  page.evaluate((url) => (window as unknown as PlayerWindow).player.enter(url), serverUrl);
const recordOf = (page: Page): Promise<PlayerRecord> =>
  page.evaluate(() => (window as unknown as PlayerWindow).player.record);
const sends = (page: Page, from: number, to: number): Promise<void> =>
  page.evaluate(([a, b]) => (window as unknown as PlayerWindow).player.send(a!, b!), [from, to]);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const heard = (page: Page, count: number): Promise<void> =>
  expect.poll(async () => (await recordOf(page)).heard, { timeout: 20_000 }).toEqual(upTo(count));

test.describe("a page of Chromium", () => {
  const executablePath = executableOf("chromium");
  test.skip(executablePath === undefined, "chromium is not installed");
  let browser: Browser;
  let server: GameServer;
  let pages: Server;
  let origin: string;
  let subject: Page;
  let other: Page;

  test.beforeEach(async () => {
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ["--no-sandbox", "--disable-gpu"],
      // Playwright's default, which disables the cache that restores pages.
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
    });
    server = await GameServer.start();
    pages = await servePlayerPage();
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
    subject = await player(browser, origin, server.url);
    other = await player(browser, origin, server.url);
    for (const page of [subject, other]) {
      await expect
        .poll(() => page.evaluate(() => (window as unknown as PlayerWindow).player.peers()))
        .toBe(1);
    }
  });
  test.afterEach(async () => {
    await browser.close();
    await server.stop();
    pages.close();
  });

  test("without a network for a while loses nothing, and is back at once when there is one", async () => {
    const session = await subject.context().newCDPSession(subject);
    const network = (offline: boolean): Promise<unknown> =>
      session.send("Network.emulateNetworkConditions", {
        offline,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
    await session.send("Network.enable");
    for (const page of [subject, other]) await sends(page, 0, 10);
    await network(true);
    // Cuts all links: on a busy machine a socket may have been replaced, so the test cannot tell which
    // belongs to whom.
    server.cutLinks();
    // With this emulation the page may not notice the end of a socket; then the silence ends the link.
    await expect.poll(async () => (await recordOf(subject)).life, { timeout: 20_000 }).toEqual(["drop"]);
    for (const page of [subject, other]) await sends(page, 10, 20);
    await wait(OUTAGE_MS);
    expect((await recordOf(subject)).life).toEqual(["drop"]);
    await network(false);
    for (const page of [subject, other]) await sends(page, 20, 30);
    for (const page of [subject, other]) await heard(page, 30);
    const { life, page } = await recordOf(subject);
    expect(page).toEqual(["pageshow", "offline", "online"]);
    expect(life).toEqual(["drop", "resumed"]);
    // The other page lost its own socket as well; no participant has left.
    expect((await recordOf(other)).life).toEqual(["drop", "resumed"]);
  });

  test("that is left and come back to goes on where it was: the same session, nothing lost", async () => {
    for (const page of [subject, other]) await sends(page, 0, 10);
    await heard(subject, 10);
    await subject.goto(`${origin}elsewhere`);
    await sends(other, 10, 20);
    await wait(OUTAGE_MS);
    await subject.goBack({ waitUntil: "commit" });
    await heard(subject, 20);
    await sends(subject, 10, 20);
    await heard(other, 20);
    const { life, page } = await recordOf(subject);
    expect(page).toEqual(["pageshow", "pagehide kept", "pageshow kept"]);
    expect(life).toEqual(["drop", "resumed"]);
    expect((await recordOf(other)).life).toEqual([]);
  });
});
