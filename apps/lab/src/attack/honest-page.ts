import { spawn, type SpawnOptions } from "node:child_process";
import { RemoteBrowser } from "../browsers/remote-browser.js";
import type { PageFigures } from "./page-figures.js";

/** Starts processes on this machine, outside of any network namespace. */
const here = {
  start: (command: string, args: readonly string[], options: SpawnOptions) =>
    spawn(command, [...args], options),
};

/** An honest player in Chromium, in the attacked room. */
export class HonestPage {
  readonly #browser: RemoteBrowser;

  private constructor(browser: RemoteBrowser) {
    this.#browser = browser;
  }

  static async open(url: string, roomId: string): Promise<HonestPage> {
    const browser = await RemoteBrowser.launch("chromium", here);
    await browser.open(url);
    await browser.call("honest", "enter", roomId);
    return new HonestPage(browser);
  }

  async take(): Promise<PageFigures | undefined> {
    return (await this.#browser.call("honest", "take").catch(() => undefined)) as PageFigures | undefined;
  }

  async close(): Promise<void> {
    await this.#browser.call("honest", "leave").catch(() => undefined);
    await this.#browser.close();
  }
}
