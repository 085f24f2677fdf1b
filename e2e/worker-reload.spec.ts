import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test, type Browser, type Page } from "@playwright/test";
import type { Entered } from "../packages/client/test/browser/worker-player.js";
import { Friend } from "../packages/client/test/friend.js";
import { GameServer } from "../packages/client/test/game-server.js";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";
import { pageScript } from "./page-script.js";

const WORKER = path.resolve(import.meta.dirname, "../packages/client/test/browser/worker-player.ts");

/** Starts the page's Worker, which joins. */
const enter = (page: Page, url: string, readsToken = false): Promise<Entered> =>
  page.evaluate(
    (asked) =>
      new Promise<Entered>((resolve) => {
        const worker = new Worker("/worker.js", { type: "module" });
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener("message", ({ data }) => resolve(data as Entered));
        port1.start();
        worker.postMessage(asked, [port2]);
        Object.assign(window, { worker });
      }),
    { url, readsToken },
  );

let server: GameServer;
let pages: Server;
let friend: Friend;
let engine: Browser | undefined;

test.beforeEach(async () => {
  server = await GameServer.start({ rooms: { race: { maxPlayers: 8 } } });
  const script = await pageScript(WORKER);
  pages = createServer(({ url }, response) => {
    const isScript = url === "/worker.js";
    const type = isScript ? "text/javascript" : "text/html; charset=utf-8";
    response.writeHead(200, { "Content-Type": type }).end(isScript ? script : "<!doctype html>");
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  friend = await Friend.join(server.url);
});
test.afterEach(async () => {
  friend.room.leave();
  await engine?.close();
  engine = undefined;
  await server.stop();
  pages.close();
});

for (const name of ["chromium", "firefox"] as const) {
  test(
    `a client in a Worker of ${name} leaves no ghost at a reload, and its seat stays for a token that was read`,
    { tag: name === "firefox" ? "@slow" : [] },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      engine = await launchEngine(name);
      const page = await (await engine.newContext()).newPage();
      await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
      const first = await enter(page, server.url);
      await expect.poll(() => friend.others).toEqual([`${first.number} connected`]);
      await page.reload();
      const second = await enter(page, server.url);
      expect(second.others).toBe(1);
      await expect.poll(() => friend.others).toEqual([`${second.number} connected`]);
      expect(friend.sawAfter(0, "away", first.number)).toBeUndefined();
      expect(server.relay.health()).toMatchObject({ sessions: 2 });

      await page.reload();
      const third = await enter(page, server.url, true);
      await expect.poll(() => friend.others).toEqual([`${third.number} connected`]);
      await page.close();
      await expect.poll(() => friend.others).toEqual([`${third.number} away`]);
    },
  );
}
