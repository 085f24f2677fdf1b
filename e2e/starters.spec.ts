import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";

const ROOT = path.resolve(import.meta.dirname, "..");
const STARTERS = [
  { name: "racing", engine: "three.js" },
  { name: "action", engine: "Phaser" },
  { name: "party", engine: "React" },
  ...["shooter", "rpg", "mmo", "arena", "strategy", "puzzle"].map((name) => ({ name, engine: "a canvas" })),
];

/** The used part of Vite, which each starter installs. */
interface Vite {
  build(options: object): Promise<unknown>;
  createServer(options: object): Promise<{
    listen(): Promise<unknown>;
    close(): Promise<void>;
    readonly resolvedUrls: { readonly local: readonly string[] } | null;
  }>;
}

test.skip(executableOf("chromium") === undefined, "Chromium is not installed");

for (const { name, engine } of STARTERS) {
  test(
    `the ${name} starter with ${engine} builds, and two players meet on its page`,
    { tag: "@slow" },
    async () => {
      const root = path.join(ROOT, "examples", name);
      const { resolve } = createRequire(path.join(root, "package.json"));
      const vite = (await import(pathToFileURL(resolve("vite")).href)) as Vite;
      const outDir = path.join(ROOT, "artefacts/starters", name);
      await vite.build({ root, logLevel: "error", build: { outDir, emptyOutDir: true } });
      const server = await vite.createServer({
        root,
        logLevel: "error",
        server: { host: "127.0.0.1", port: 0 },
      });
      const browser = await launchEngine("chromium");
      try {
        await server.listen();
        const [url] = server.resolvedUrls!.local;
        const faults: string[] = [];
        const pages = [];
        for (let player = 0; player < 2; player++) {
          // Each page has its own profile: two tabs of one profile would share the seat's storage.
          const page = await (await browser.newContext()).newPage();
          page.on("pageerror", (error) => faults.push(String(error)));
          await page.goto(url!);
          pages.push(page);
        }
        for (const page of pages) {
          await expect(page.locator("#status")).toContainText("2 players", { timeout: 30_000 });
          await page.screenshot({ path: path.join(ROOT, `artefacts/screenshots/starter-${name}.png`) });
        }
        expect(faults).toEqual([]);
      } finally {
        await browser.close();
        await server.close();
      }
    },
  );
}
