import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium, type BrowserContext } from "@playwright/test";
import { endProcess, startProcess } from "../processes.js";

/**
 * Runs `work` in a Chromium whose pages are hidden when another page is in front. Playwright keeps all pages of
 * a launched browser in front, but not those of a browser that it only connects to.
 */
export async function withHideablePages(
  executable: string,
  work: (context: BrowserContext) => Promise<void>,
): Promise<void> {
  const profile = mkdtempSync(path.join(os.tmpdir(), "paceline-hidden-"));
  const process = startProcess(
    executable,
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      `--user-data-dir=${profile}`,
      "--remote-debugging-port=0",
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let said = "";
      process.once("exit", () => reject(new Error(`Chromium ended: ${said}`)));
      process.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const [found] = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said) ?? [];
        if (found) resolve(found);
      });
    });
    const browser = await chromium.connectOverCDP(address, { noDefaults: true });
    await work(browser.contexts()[0]!);
    await browser.close();
  } finally {
    await endProcess(process, "SIGKILL");
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch {
      // Chromium's other processes still write there; the system clears its temporary folder later.
    }
  }
}
