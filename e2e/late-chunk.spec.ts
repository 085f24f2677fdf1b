import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
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

/** Serves the modules. The first requests for the late one fail. */
async function servePages(late: string, asked: string[], failures = 1): Promise<Server> {
  return serve((name, search, known) => {
    const isLate = name.startsWith(late);
    if (isLate) asked.push(name + search);
    return Promise.resolve(isLate && asked.length <= failures ? undefined : known.get(name));
  });
}

/** Serves a page, and the modules that `take` returns; those that are undefined fail. */
async function serve(
  take: (name: string, search: string, known: ReadonlyMap<string, string>) => Promise<string | undefined>,
): Promise<Server> {
  const known = await modules();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? "/", "http://pages");
    const name = pathname.slice(1);
    const text = await take(name, search, known);
    if (name === "") response.writeHead(200, { "Content-Type": "text/html" }).end(HTML);
    else if (text === undefined) response.writeHead(503).end();
    else response.writeHead(200, { "Content-Type": "text/javascript" }).end(text);
  };
  const pages = createServer((request, response) => void answer(request, response));
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
        await servePages("webrtc-", asked),
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
        // A door tries three times.
        await servePages("room-", asked, 3),
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
        expect(asked).toHaveLength(4);
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
    `WebRTC is asked for once the code of the room and of its mode have arrived, in ${name}`,
    { tag: name === "firefox" ? "@slow" : [] },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      /** Requests for modules, and the answers to the held ones, in order. */
      const log: string[] = [];
      const release = new Map<string, () => void>();
      const held = new Map(
        ["room", "mesh"].map((code) => [code, new Promise<void>((open) => release.set(code, open))]),
      );
      const [server, pages, engine] = [
        await GameServer.start(),
        await serve(async (file, _, known) => {
          const code = file.split("-")[0]!;
          log.push(code);
          await held.get(code);
          if (held.has(code)) log.push(`${code} sent`);
          return known.get(file);
        }),
        await launchEngine(name),
      ];
      try {
        const page = await engine.newPage();
        await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
        const joining = page.evaluate(
          (url) => (window as unknown as PlayerWindow).player.enter(url, true),
          server.url,
        );
        await expect.poll(() => log, { timeout: 30_000 }).toEqual(expect.arrayContaining(["room", "mesh"]));
        for (const code of ["room", "mesh"]) {
          await pause(500);
          expect(log).not.toContain("webrtc");
          release.get(code)!();
        }
        await joining;
        await expect.poll(() => log, { timeout: 30_000 }).toContain("webrtc");
        expect(log.indexOf("webrtc")).toBeGreaterThan(log.indexOf("mesh sent"));
      } finally {
        for (const open of release.values()) open();
        await engine.close();
        await server.stop();
        pages.close();
      }
    },
  );
}
