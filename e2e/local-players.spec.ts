import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test, type Page } from "@playwright/test";
import type { LocalPlayer } from "../packages/client/test/browser/local-players-page.js";
import { Friend } from "../packages/client/test/friend.js";
import { GameServer } from "../packages/client/test/game-server.js";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";
import { pageScript } from "./page-script.js";

const SCRIPT = path.resolve(import.meta.dirname, "../packages/client/test/browser/local-players-page.ts");
const RELOADS = 3;

interface PlayersWindow {
  readonly players: { enter(url: string): Promise<LocalPlayer[]> };
}

const enter = (page: Page, url: string): Promise<LocalPlayer[]> =>
  page.evaluate((server) => (window as unknown as PlayersWindow).players.enter(server), url);

for (const name of ["chromium", "firefox"] as const) {
  test(
    `two local players of a page in ${name} keep their own seats at each reload`,
    { tag: name === "chromium" ? [] : "@slow" },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      const server = await GameServer.start({ rooms: { race: { maxPlayers: 8 } } });
      const body = `<!doctype html><script type="module">${await pageScript(SCRIPT)}</script>`;
      const pages = createServer((_, response) => {
        response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(body);
      });
      await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
      const engine = await launchEngine(name);
      let friend: Friend | undefined;
      try {
        const page = await (await engine.newContext()).newPage();
        await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
        const first = await enter(page, server.url);
        expect(new Set(first.map(({ sessionId }) => sessionId)).size).toBe(2);
        friend = await Friend.join(server.url);
        for (let count = 0; count < RELOADS; count++) {
          await page.reload();
          expect(await enter(page, server.url)).toEqual(first);
        }
        await expect.poll(() => friend?.others).toHaveLength(2);
        expect(server.relay.health()).toMatchObject({ rooms: 1, sessions: 3 });
      } finally {
        void friend?.room.leave();
        await engine.close();
        await server.stop();
        pages.close();
      }
    },
  );
}
