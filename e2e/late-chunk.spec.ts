import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { build } from "esbuild";
import { GameServer } from "../packages/client/test/game-server.js";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";

const PAGE = path.resolve(import.meta.dirname, "../packages/client/test/browser/lifecycle-page.ts");
const HTML = '<!doctype html><script type="module" src="/lifecycle-page.js"></script>';

interface PlayerWindow {
  readonly player: {
    enter(serverUrl: string, isDirect: boolean): Promise<string>;
    path(): string;
  };
}

/** Builds the page's modules, with separate ones for code that loads on demand; returns them by name. */
async function modules(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [PAGE],
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    platform: "browser",
    conditions: ["@paceline/source"],
  });
  return new Map(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
}

/** Serves the modules. The first request for the late one fails. */
async function servePages(late: string, asked: string[]): Promise<Server> {
  const known = await modules();
  const pages = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://pages");
    const name = pathname.slice(1);
    const isLate = name.startsWith(late);
    if (isLate) asked.push(name + search);
    const text = isLate && asked.length === 1 ? undefined : known.get(name);
    if (name === "") response.writeHead(200, { "Content-Type": "text/html" }).end(HTML);
    else if (text === undefined) response.writeHead(503).end();
    else response.writeHead(200, { "Content-Type": "text/javascript" }).end(text);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  return pages;
}

for (const name of ["chromium", "firefox"] as const) {
  test(
    `code of direct paths that did not load is fetched again in ${name}`,
    { tag: name === "firefox" ? "@slow" : [] },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      const asked: string[] = [];
      const [server, pages, engine] = [
        await GameServer.start(),
        await servePages("direct-path", asked),
        await launchEngine(name),
      ];
      try {
        const players = [await engine.newPage(), await engine.newPage()];
        for (const page of players) {
          await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
          await page.evaluate(
            (url) => (window as unknown as PlayerWindow).player.enter(url, true),
            server.url,
          );
        }
        for (const page of players) {
          const way = () => page.evaluate(() => (window as unknown as PlayerWindow).player.path());
          await expect.poll(way, { timeout: 30_000 }).toMatch(/^direct: /);
        }
        expect(asked.length).toBeGreaterThanOrEqual(3);
      } finally {
        await engine.close();
        await server.stop();
        pages.close();
      }
    },
  );
}

for (const name of ["chromium", "firefox"] as const) {
  test(
    `code of rooms that did not load rejects the join, and is fetched again by the next one in ${name}`,
    { tag: name === "firefox" ? "@slow" : [] },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      const asked: string[] = [];
      const [server, pages, engine] = [
        await GameServer.start(),
        await servePages("room-", asked),
        await launchEngine(name),
      ];
      try {
        const page = await engine.newPage();
        await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
        const enter = (): Promise<unknown> =>
          page.evaluate(
            (url) =>
              (window as unknown as PlayerWindow).player.enter(url, false).then(
                () => "joined",
                ({ code, retryable }: { code: string; retryable: boolean }) => ({ code, retryable }),
              ),
            server.url,
          );
        expect(await enter()).toEqual({ code: "session/code", retryable: true });
        expect(await enter()).toBe("joined");
        expect(asked).toHaveLength(2);
      } finally {
        await engine.close();
        await server.stop();
        pages.close();
      }
    },
  );
}
