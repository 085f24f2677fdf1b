import { chromium, type Browser, type Page } from "@playwright/test";
import { startChromium, type ChromiumProcess } from "../../apps/lab/src/browsers/chromium-process.js";
import { executableOf } from "../../tools/browsers.mjs";
import { endProcess, startProcess } from "../processes.js";

/**
 * A Chromium that can really hide its page, with slower timers and no frames. Playwright keeps the pages of a
 * browser that it
 * launches visible; this one it only connects to, so that another page in front hides the first.
 */
export class HideableChromium {
  readonly #process: ChromiumProcess;
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #cover: Page;

  private constructor(process: ChromiumProcess, browser: Browser, pages: [Page, Page]) {
    this.#process = process;
    this.#browser = browser;
    [this.#page, this.#cover] = pages;
  }

  static async launch(): Promise<HideableChromium> {
    const executable = executableOf("chromium");
    if (executable === undefined) throw new Error("chromium is not installed");
    const args = ["--disable-features=WebRtcHideLocalIpsWithMdns"];
    const process = await startChromium(executable, args, startProcess);
    const browser = await chromium.connectOverCDP(process.debuggerUrl, { noDefaults: true });
    const context = browser.contexts()[0]!;
    const cover = await context.newPage();
    const page = await context.newPage();
    return new HideableChromium(process, browser, [page, cover]);
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
    await endProcess(this.#process.child);
    this.#process.removeProfile();
  }
}
