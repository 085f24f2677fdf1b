import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { GameServer } from "../packages/client/test/game-server.js";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";

/** The files of a page without a bundler, by the first folder of their address. */
const FOLDERS: Readonly<Record<string, string>> = {
  paceline: path.resolve(import.meta.dirname, "../packages/client/dist/linked"),
  panel: path.resolve(import.meta.dirname, "../packages/panel/dist/linked"),
};

/** A game without a bundler: the packages' own files, from a server that only serves files. */
const pageOf = (serverUrl: string): string => `<!doctype html><link rel="icon" href="data:,">
<script type="module">
import { Client, defineEntity, vec2 } from "/paceline/index.js";
const Car = defineEntity("car", { position: vec2({ range: [-100, 100], precision: 0.01 }) });
const room = await new Client("${serverUrl}", { profile: "racing" }).joinOrCreate("race");
const car = room.spawn(Car);
room.loop(() => {
  car.position.x = Math.sin(performance.now() / 1000);
  const hasMoved = [...room.entities(Car)].some(({ isMine, shown }) => !isMine && shown.position.x !== 0);
  document.title = hasMoved ? room.peers.map(({ path }) => path).join() : "alone";
});
window.openPanel = async () => {
  const { showPanel } = await import("/panel/index.js");
  showPanel(room);
  return [...document.body.children].map(({ shadowRoot }) => shadowRoot?.textContent ?? "").join();
};
</script>`;

/** Serves the page and the chunks. The first request for WebRTC's chunk fails. */
async function serve(serverUrl: string, asked: string[]): Promise<Server> {
  const pages = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://pages");
    if (pathname === "/") {
      response.writeHead(200, { "Content-Type": "text/html" }).end(pageOf(serverUrl));
      return;
    }
    const name = path.basename(pathname);
    const folder = FOLDERS[path.basename(path.dirname(pathname))] ?? "";
    asked.push(name + search);
    const isFirst = asked.filter((one) => one.startsWith("webrtc.js")).length === 1;
    if (name === "webrtc.js" && isFirst) response.writeHead(503).end();
    else
      response
        .writeHead(200, { "Content-Type": "text/javascript" })
        .end(readFileSync(path.join(folder, name)));
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  return pages;
}

for (const name of ["chromium", "firefox"] as const) {
  test(
    `two pages without a bundler meet directly, ask for a chunk that failed again, and open the panel in ${name}`,
    { tag: name === "firefox" ? "@slow" : [] },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      const asked: string[] = [];
      const [server, engine] = [await GameServer.start(), await launchEngine(name)];
      const pages = await serve(server.url, asked);
      try {
        const players = [await engine.newPage(), await engine.newPage()];
        const errors: string[] = [];
        for (const page of players) {
          // Firefox reports the chunk that failed as an error of the page, too.
          page.on("pageerror", ({ message }) => {
            if (!message.startsWith("Loading module")) errors.push(message);
          });
          await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
        }
        for (const page of players) await expect.poll(() => page.title(), { timeout: 30_000 }).toBe("direct");
        // The other address: Firefox never asks for the one that failed again.
        expect(asked).toContain("webrtc.js?again=1");
        const panel = players[0]!.evaluate(() =>
          (window as unknown as { openPanel(): Promise<string> }).openPanel(),
        );
        expect(await panel).toContain("Player 2: direct: WebRTC data channels");
        expect(asked.filter((one) => one === "room.js")).toHaveLength(2);
        expect(errors).toEqual([]);
      } finally {
        await engine.close();
        await server.stop();
        pages.close();
      }
    },
  );
}
