import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, type Browser, type Page } from "@playwright/test";
import type { PlayerRecord } from "../packages/client/test/browser/lifecycle-page.js";
import { GameServer } from "../packages/client/test/game-server.js";
import { executableOf } from "../tools/browsers.mjs";
import { authorityGame, authorityServer, FIRST_STATE, meshGame } from "../tools/verify/documented-games.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";
import { ChunkServer, type ChunkRequest, type GameHandlers } from "./chunk-server.js";

const PAGE = path.resolve(import.meta.dirname, "../packages/client/test/browser/lifecycle-page.ts");
/** The printed games import the packages from here. */
const GAME_FOLDER = path.resolve(import.meta.dirname, "../apps/demo-game");
const ENGINES = ["chromium", "firefox"] as const;
const tagOf = (name: (typeof ENGINES)[number]) => ({ tag: name === "firefox" ? "@slow" : [] });
/** Longer than the room's code takes from its arrival to the first request for more code. */
const LOOKED_MS = 1500;

interface PlayerWindow {
  readonly player: {
    readonly record: PlayerRecord;
    enter(serverUrl: string, isDirect: boolean): Promise<string>;
    send(from: number, to: number): void;
    peers(): number;
    path(): string;
  };
}

const pathOf = (page: Page) => page.evaluate(() => (window as unknown as PlayerWindow).player.path());
const enter = (page: Page, serverUrl: string, isDirect = true) =>
  page.evaluate(
    ([url, direct]) =>
      (window as unknown as PlayerWindow).player.enter(url, direct).then(
        () => "joined",
        ({ code, retryable }: { code: string; retryable: boolean }) => ({ code, retryable }),
      ),
    [serverUrl, isDirect] as const,
  );

interface Scene {
  readonly server: GameServer;
  readonly chunks: ChunkServer;
  readonly engine: Browser;
}

/** One browser of each kind for all tests of the file. */
const engines = new Map<(typeof ENGINES)[number], Browser>();

async function engineOf(name: (typeof ENGINES)[number]): Promise<Browser> {
  const engine = engines.get(name) ?? (await launchEngine(name));
  engines.set(name, engine);
  return engine;
}

test.afterEach(async () => {
  for (const engine of engines.values()) for (const context of engine.contexts()) await context.close();
});
test.afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
});

/** Plays on a relay of its own, with the players' page in chunks. */
async function inScene(name: (typeof ENGINES)[number], play: (scene: Scene) => Promise<void>): Promise<void> {
  test.skip(executableOf(name) === undefined, `${name} is not installed`);
  const [server, chunks, engine] = [
    await GameServer.start(),
    await ChunkServer.start({ file: PAGE }),
    await engineOf(name),
  ];
  try {
    await play({ server, chunks, engine });
  } finally {
    await server.stop();
    chunks.stop();
  }
}

/** Opens two players' pages in one room. */
async function twoPlayers({ server, chunks, engine }: Scene): Promise<[Page, Page]> {
  const pages: [Page, Page] = [await engine.newPage(), await engine.newPage()];
  for (const page of pages) {
    await page.goto(chunks.url);
    expect(await enter(page, server.url)).toBe("joined");
  }
  return pages;
}

async function areDirect(pages: readonly Page[]): Promise<void> {
  for (const page of pages) await expect.poll(() => pathOf(page), { timeout: 30_000 }).toMatch(/^direct: /);
}

for (const name of ENGINES) {
  test(`code of direct paths that did not load is fetched again in ${name}`, tagOf(name), () =>
    inScene(name, async (scene) => {
      scene.chunks.fail("webrtc", 1);
      await areDirect(await twoPlayers(scene));
      expect(scene.chunks.requestsOf("webrtc").length).toBeGreaterThanOrEqual(3);
    }),
  );

  test(
    `code of rooms that did not load rejects the join, and is fetched again by the next one in ${name}`,
    tagOf(name),
    () =>
      inScene(name, async ({ server, chunks, engine }) => {
        // A door tries three times.
        chunks.fail("room", 3);
        const page = await engine.newPage();
        await page.goto(chunks.url);
        expect(await enter(page, server.url, false)).toEqual({ code: "session/code", retryable: true });
        expect(await enter(page, server.url, false)).toBe("joined");
        expect(chunks.requestsOf("room")).toHaveLength(4);
      }),
  );

  test(
    `WebRTC is requested only after the code of the room and of its mode has arrived in ${name}`,
    tagOf(name),
    () =>
      inScene(name, async ({ server, chunks, engine }) => {
        const held = ["room", "mesh"] as const;
        for (const chunk of held) chunks.hold(chunk);
        const page = await engine.newPage();
        await page.goto(chunks.url);
        const joined = enter(page, server.url);
        for (const chunk of held) {
          await expect.poll(() => chunks.requestsOf(chunk).length, { timeout: 20_000 }).toBe(1);
          await page.waitForTimeout(LOOKED_MS);
          expect(chunks.requestsOf("webrtc")).toEqual([]);
          chunks.release(chunk);
        }
        expect(await joined).toBe("joined");
        await expect.poll(() => chunks.requestsOf("webrtc").length).toBe(1);
      }),
  );
}

test("without the code of direct paths players meet through the relay, read why, and the code is asked for again", () =>
  inScene("chromium", async (scene) => {
    scene.chunks.fail("webrtc");
    const pages = await twoPlayers(scene);
    await pages[0].evaluate(() => (window as unknown as PlayerWindow).player.send(0, 20));
    const heard = () =>
      pages[1].evaluate(() => (window as unknown as PlayerWindow).player.record.heard.length);
    await expect.poll(heard).toBe(20);
    for (const page of pages)
      await expect
        .poll(() => pathOf(page), { timeout: 30_000 })
        .toMatch(/^relay: the direct link failed: the code for it did not load: /);
    await expect.poll(() => scene.chunks.requestsOf("webrtc").length, { timeout: 30_000 }).toBeGreaterThan(4);
    scene.chunks.fail("webrtc", 0);
    await areDirect(pages);
  }));

test("a page that is offline while code should arrive after its first state gets it when it is back", () =>
  inScene("chromium", async (scene) => {
    scene.chunks.hold("webrtc");
    const pages = await twoPlayers(scene);
    const context = pages[0].context();
    await expect.poll(() => scene.chunks.requestsOf("webrtc").length).toBe(2);
    await context.setOffline(true);
    scene.server.cutLinks();
    const life = () => pages[0].evaluate(() => (window as unknown as PlayerWindow).player.record.life.join());
    // The page does not notice the end of its socket then: silence ends the link.
    await expect.poll(life, { timeout: 20_000 }).toBe("drop");
    scene.chunks.release("webrtc");
    await context.setOffline(false);
    await expect.poll(life, { timeout: 20_000 }).toBe("drop,resumed");
    await areDirect(pages);
  }));

test("messages are exchanged while the faster codec is on its way, and after it has come", () =>
  inScene("chromium", async (scene) => {
    scene.chunks.hold("msgpackr");
    const [one, other] = await twoPlayers(scene);
    const send = (from: number, to: number) =>
      one.evaluate(([first, last]) => (window as unknown as PlayerWindow).player.send(first, last), [
        from,
        to,
      ] as const);
    const heard = () => other.evaluate(() => (window as unknown as PlayerWindow).player.record.heard.length);
    await send(0, 20);
    await expect.poll(heard).toBe(20);
    await expect.poll(() => scene.chunks.requestsOf("msgpackr").length, { timeout: 30_000 }).toBe(2);
    await send(20, 40);
    await expect.poll(heard).toBe(40);
    scene.chunks.release("msgpackr");
    await other.waitForTimeout(LOOKED_MS);
    await send(40, 60);
    await expect.poll(heard).toBe(60);
  }));

/** Opens the guide's server, whose rooms have an authority. */
async function authority(): Promise<GameHandlers & { stop(options: { drainMs: number }): Promise<void> }> {
  const folder = path.join(GAME_FOLDER, "dist-server");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "printed-server.mjs");
  writeFileSync(file, authorityServer());
  return (await import(`${pathToFileURL(file).href}?${performance.now()}`)).server;
}

/** Opens the game in two pages; the second page's chunks are those that the test disturbs. */
async function meet(engine: Browser, undisturbed: ChunkServer, disturbed: ChunkServer): Promise<Page> {
  await (await engine.newPage()).goto(undisturbed.url);
  const page = await engine.newPage();
  await page.goto(disturbed.url);
  return page;
}

const hasFirstState = (page: Page) =>
  page.evaluate((name) => performance.getEntriesByName(name).length > 0, FIRST_STATE);

test("the faster codec is requested only after the first state", async () => {
  test.skip(executableOf("chromium") === undefined, "chromium is not installed");
  const engine = await engineOf("chromium");
  const server = await GameServer.start();
  const chunks = await ChunkServer.start({ code: meshGame(), folder: GAME_FOLDER }, server.relay);
  try {
    const page = await meet(engine, chunks, chunks);
    await expect.poll(() => hasFirstState(page), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => chunks.requestsOf("msgpackr").length, { timeout: 30_000 }).toBe(2);
    const [{ chunk }] = chunks.requestsOf("msgpackr") as [ChunkRequest];
    const times = () =>
      page.evaluate(
        ([mark, file]) => {
          const [shown] = performance.getEntriesByName(mark);
          const asked = performance.getEntriesByType("resource").find(({ name }) => name.endsWith(file));
          return [shown?.startTime, asked?.startTime];
        },
        [FIRST_STATE, chunk] as const,
      );
    // A browser lists a request once its answer is there.
    await expect.poll(async () => (await times())[1], { timeout: 20_000 }).toBeDefined();
    const [shownAtMs, askedAtMs] = await times();
    expect(askedAtMs).toBeGreaterThan(shownAtMs!);
  } finally {
    await server.stop();
    chunks.stop();
  }
});

/** Another room of this name, in the same tab, was a mesh. */
const REMEMBERS_A_MESH =
  'sessionStorage.setItem("paceline:modes", JSON.stringify({ [`${location.origin} race`]: "mesh" }));';

for (const [guessed, served, code] of [
  ["a mesh", "an authority", `${REMEMBERS_A_MESH}\n${authorityGame()}`],
  ["an authority", "a mesh", meshGame().replace('profile: "racing"', 'profile: "shooter"')],
] as const) {
  test(`a page that expects ${guessed} and joins a room with ${served} plays, however late the code is`, async () => {
    test.skip(executableOf("chromium") === undefined, "chromium is not installed");
    const engine = await engineOf("chromium");
    const server = served === "a mesh" ? await GameServer.start() : await authority();
    const game = server instanceof GameServer ? server.relay : server;
    const page = { code, folder: GAME_FOLDER };
    const [undisturbed, disturbed] = [
      await ChunkServer.start(page, game),
      await ChunkServer.start(page, game),
    ];
    try {
      disturbed.hold("authority");
      const opened = await meet(engine, undisturbed, disturbed);
      await expect.poll(() => disturbed.requestsOf("authority").length, { timeout: 20_000 }).toBe(1);
      await opened.waitForTimeout(LOOKED_MS);
      expect(await hasFirstState(opened)).toBe(served === "a mesh");
      disturbed.release("authority");
      await expect.poll(() => hasFirstState(opened), { timeout: 20_000 }).toBe(true);
      expect(disturbed.requestsOf("authority")).toHaveLength(1);
    } finally {
      await server.stop({ drainMs: 0 });
      undisturbed.stop();
      disturbed.stop();
    }
  });
}
