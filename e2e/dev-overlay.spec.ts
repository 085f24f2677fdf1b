import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine } from "./browsers/playwright-browser.js";
import { endProcess, startProcess } from "./processes.js";

const PACKAGES = path.resolve(import.meta.dirname, "../packages");
const BIN = path.join(PACKAGES, "cli/bin/paceline.js");
const GAME =
  'import { Room } from "@paceline/server";\nexport const rooms = { arena: class extends Room {} };\n';

test("paceline dev shows an error of the game's file on the page until the next good save, and one of a hook until a click", async () => {
  test.skip(executableOf("chromium") === undefined, "chromium is not installed");
  const folder = mkdtempSync(path.join(tmpdir(), "paceline-overlay-"));
  const save = (text: string): void => writeFileSync(path.join(folder, "game.js"), text);
  writeFileSync(path.join(folder, "index.html"), "<!doctype html><title>mine</title>");
  mkdirSync(path.join(folder, "node_modules/@paceline"), { recursive: true });
  symlinkSync(path.join(PACKAGES, "server"), path.join(folder, "node_modules/@paceline/server"));
  save(GAME);
  const args = [BIN, "dev", "game.js", "--port", "0", "--webrtc", "off", "--static", "."];
  const server = startProcess(process.execPath, args, { cwd: folder });
  const engine = await launchEngine("chromium");
  try {
    const address = await new Promise<string>((resolve) => {
      let text = "";
      server.stdout?.on("data", (data: Buffer) => {
        text += data.toString();
        const [, found] = /^listening on (\S+)/m.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const page = await engine.newPage();
    await page.goto(address);
    save("export const rooms = {");
    const overlay = page.locator("#paceline-error");
    await expect(overlay).toContainText(/game\.js:1:\d+: /);
    // A page that is opened later shows it, too.
    await page.reload();
    await expect(overlay).toContainText(/game\.js:1:\d+: /);
    expect(await page.title()).toBe("mine");
    save(GAME);
    await expect(overlay).toHaveCount(0);
    save(GAME.replace("{}", '{ onCreate() { throw new Error("no map"); } }'));
    // The server may not have loaded the saved file when the first player joins.
    await expect(async () => {
      await fetch(`${address}/match/joinOrCreate/arena`, { method: "POST", body: '{"version":5}' });
      await expect(overlay).toContainText(/hook=onCreate\s+Error: no map/, { timeout: 500 });
    }).toPass();
    await overlay.click();
    await expect(overlay).toHaveCount(0);
  } finally {
    await engine.close();
    await endProcess(server);
    rmSync(folder, { recursive: true, force: true });
  }
});
