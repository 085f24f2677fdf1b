import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium, type Browser, type Page } from "@playwright/test";
import { executableOf } from "../../tools/browsers.mjs";
import { endProcess, startProcess } from "../processes.js";

const ARGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-features=WebRtcHideLocalIpsWithMdns",
  "--remote-debugging-port=0",
];
const READY_LIMIT_MS = 15_000;

/**
 * A Chromium whose page can really be hidden, with timers that slow down and no frames. The pages of a browser that
 * Playwright launches always count as visible; in one that it is only connected to, another page in front hides them.
 */
export class HideableChromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #cover: Page;

  private constructor(child: ChildProcess, profile: string, browser: Browser, pages: [Page, Page]) {
    this.#process = child;
    this.#profile = profile;
    this.#browser = browser;
    [this.#page, this.#cover] = pages;
  }

  static async launch(): Promise<HideableChromium> {
    const executable = executableOf("chromium");
    if (executable === undefined) throw new Error("chromium is not installed");
    const profile = mkdtempSync(path.join(os.tmpdir(), "paceline-chromium-"));
    const args = [...ARGS, `--user-data-dir=${profile}`, "about:blank"];
    const child = startProcess(executable, args, { stdio: ["ignore", "ignore", "pipe"] });
    const browser = await chromium.connectOverCDP(await debuggerOf(child), { noDefaults: true });
    const context = browser.contexts()[0]!;
    const cover = await context.newPage();
    const page = await context.newPage();
    return new HideableChromium(child, profile, browser, [page, cover]);
  }

  async open(url: string): Promise<void> {
    await this.#page.goto(url);
    await this.show();
  }

  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result> {
    return this.#page.evaluate(work as (given: unknown) => Result | Promise<Result>, argument);
  }

  async hide(): Promise<void> {
    await this.#cover.bringToFront();
  }

  async show(): Promise<void> {
    await this.#page.bringToFront();
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await endProcess(this.#process);
    rmSync(this.#profile, { recursive: true, force: true });
  }
}

/** The address at which it can be driven; it says so itself, once. */
function debuggerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error("Chromium did not say where to drive it")),
      READY_LIMIT_MS,
    );
    let said = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said)?.[0];
      if (address === undefined) return;
      clearTimeout(limit);
      resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`Chromium ended with code ${code}`)));
  });
}
