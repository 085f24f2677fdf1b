import { chromium, firefox, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { executableOf } from "../../tools/browsers.mjs";
import { WINDOW, type RaceBrowser, type RaceKey } from "./race-browser.js";

/** Arguments for the system's Chromium: no sandbox, for root in a container, and no GPU. */
const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Host names that hide addresses cost half a second per connection between different browsers.
  "--disable-features=WebRtcHideLocalIpsWithMdns",
];

export type PlaywrightEngine = "chromium" | "firefox";

/** Restricts candidates to those of a proxy, and there is none. */
const NO_UDP = "--webrtc-ip-handling-policy=disable_non_proxied_udp";

export function launchEngine(name: PlaywrightEngine, { hasUdp = true } = {}): Promise<Browser> {
  const executablePath = executableOf(name);
  if (executablePath === undefined) throw new Error(`${name} is not installed`);
  if (name === "chromium") {
    return chromium.launch({ executablePath, args: hasUdp ? CHROMIUM_ARGS : [...CHROMIUM_ARGS, NO_UDP] });
  }
  return firefox.launch({
    // Playwright drives an unmodified Firefox only through this channel.
    channel: "moz-firefox",
    executablePath,
    firefoxUserPrefs: { "media.peerconnection.ice.obfuscate_host_addresses": false },
  });
}

export interface PageOptions {
  /** Functions or scripts that run in the page before its own scripts. */
  readonly beforeLoad?: readonly ((() => void) | string)[];
  /** True for a touch screen. Default: false. */
  readonly hasTouch?: boolean;
  /** Size of the window, px. Default: {@link WINDOW}. */
  readonly viewport?: WindowSize;
  /** True if the system asks pages for less motion. Default: false. */
  readonly wantsLittleMotion?: boolean;
  /**
   * Number of frames for which the page draws one: with 2 it is like one on a screen of 30 Hz. A frame takes 18 ms of CPU
   * time without a graphics card, so two pages leave nothing of two cores. For scenarios that neither compare positions
   * nor measure frames. Default: 1.
   */
  readonly framesPerDraw?: number;
}

export interface WindowSize {
  readonly width: number;
  readonly height: number;
}

/** In the page: lets each callback for the next frame wait for the one that is drawn. */
function skipFrames(framesPerDraw: number): void {
  const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = window;
  /** The browser's request of each callback that waits, by the id that its caller has: that of the first request. */
  const waiting = new Map<number, number>();
  window.requestAnimationFrame = (callback) => {
    let id = 0;
    let left = framesPerDraw;
    const ask = (): number =>
      request((timeMs) => {
        left -= 1;
        if (left > 0) return void waiting.set(id, ask());
        waiting.delete(id);
        callback(timeMs);
      });
    id = ask();
    waiting.set(id, id);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    cancel(waiting.get(id) ?? id);
    waiting.delete(id);
  };
}

/** A page with its own context in a running Chromium or Firefox. */
export class PlaywrightBrowser implements RaceBrowser {
  readonly name: PlaywrightEngine;
  readonly complaints: string[] = [];
  readonly fetched: string[] = [];
  readonly #context: BrowserContext;
  readonly #page: Page;

  private constructor(name: PlaywrightEngine, context: BrowserContext, page: Page) {
    this.name = name;
    this.#context = context;
    this.#page = page;
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("request", (request) => this.fetched.push(request.url()));
    page.on("response", (response) => {
      if (response.status() >= 400) this.complaints.push(`${response.status()} ${response.url()}`);
    });
  }

  static async launch(
    name: PlaywrightEngine,
    engine: Browser,
    options: PageOptions = {},
  ): Promise<PlaywrightBrowser> {
    const { beforeLoad = [], viewport = WINDOW, hasTouch = false } = options;
    const { wantsLittleMotion = false, framesPerDraw = 1 } = options;
    const context = await engine.newContext({
      viewport,
      hasTouch,
      reducedMotion: wantsLittleMotion ? "reduce" : "no-preference",
    });
    if (framesPerDraw > 1) await context.addInitScript(skipFrames, framesPerDraw);
    for (const script of beforeLoad) {
      await context.addInitScript(typeof script === "string" ? { content: script } : script);
    }
    return new PlaywrightBrowser(name, context, await context.newPage());
  }

  async open(url: string): Promise<void> {
    await this.#page.goto(url);
    await this.#page.bringToFront();
  }

  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result> {
    // Playwright's type allows only serialisable arguments; scenarios pass no others.
    return this.#page.evaluate(work as (given: unknown) => Result | Promise<Result>, argument);
  }

  resize(size: WindowSize): Promise<void> {
    return this.#page.setViewportSize(size);
  }

  holdKey(key: RaceKey): Promise<void> {
    return this.#page.keyboard.down(key);
  }

  releaseKey(key: RaceKey): Promise<void> {
    return this.#page.keyboard.up(key);
  }

  async screenshot(file: string): Promise<void> {
    await this.#page.screenshot({ path: file });
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
