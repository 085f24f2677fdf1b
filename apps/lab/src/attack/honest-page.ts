import { RemoteBrowser } from "../browsers/remote-browser.js";
import { start } from "../network/commands.js";
import type { PageFigures } from "./page-figures.js";

/** An honest player in Chromium, in the attacked room. */
export class HonestPage {
  readonly #browser: RemoteBrowser;

  private constructor(browser: RemoteBrowser) {
    this.#browser = browser;
  }

  static async open(url: string, roomId: string): Promise<HonestPage> {
    // Outside of any network namespace.
    const browser = await RemoteBrowser.launch("chromium", { start });
    try {
      await browser.open(url);
      await browser.call("honest", "enter", roomId);
      return new HonestPage(browser);
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  async take(): Promise<PageFigures | undefined> {
    return (await this.#browser.call("honest", "take").catch(() => undefined)) as PageFigures | undefined;
  }

  async close(): Promise<void> {
    await this.#browser.call("honest", "leave").catch(() => undefined);
    await this.#browser.close();
  }
}
