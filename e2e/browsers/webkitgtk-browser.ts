import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { freePort } from "../free-port.js";
import { endProcess, startProcess } from "../processes.js";
import { WINDOW, type RaceBrowser, type RaceKey } from "./race-browser.js";
import { VirtualDisplay } from "./virtual-display.js";
import { WebDriverSession } from "./web-driver.js";

const LIBRARIES = "/usr/lib";
const READY_LIMIT_MS = 10_000;

/** WebDriver's names of keys that print nothing: code points of a private range (WebDriver, section 17.4.2). */
const KEY_VALUES: Record<RaceKey, string> = {
  ArrowUp: "\uE013",
  ArrowDown: "\uE015",
  ArrowLeft: "\uE012",
  ArrowRight: "\uE014",
  Enter: "\uE007",
  Tab: "\uE004",
  Escape: "\uE00C",
  Space: " ",
  KeyI: "i",
  KeyK: "k",
  KeyP: "p",
  KeyR: "r",
};

/**
 * Returns the path of WebKitGTK's browser; it contains the machine's architecture and the library's version.
 */
function findMiniBrowser(): string {
  for (const architecture of readdirSync(LIBRARIES).filter((name) => name.includes("linux-gnu"))) {
    for (const version of ["webkit2gtk-4.1", "webkitgtk-6.0", "webkit2gtk-4.0"]) {
      const file = path.join(LIBRARIES, architecture, version, "MiniBrowser");
      if (existsSync(file)) return file;
    }
  }
  throw new Error(`no WebKitGTK MiniBrowser below ${LIBRARIES}`);
}

async function startDriver(display: VirtualDisplay): Promise<{ driver: ChildProcess; url: string }> {
  const port = await freePort();
  const driver = startProcess("WebKitWebDriver", ["-p", String(port)], {
    // Without a graphics card the compositor uses software OpenGL and takes 60 ms per frame; X alone takes a
    // few.
    env: { ...process.env, DISPLAY: display.name, GDK_BACKEND: "x11", WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + READY_LIMIT_MS;
  while (!(await WebDriverSession.isReady(url))) {
    if (Date.now() > deadlineMs || driver.exitCode !== null) {
      await endProcess(driver);
      throw new Error(`WebKitWebDriver was not ready after ${READY_LIMIT_MS} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { driver, url };
}

/**
 * WebKitGTK, an engine with WebSockets but without WebRTC, so its players reach others through the relay. It
 * runs on its own
 * display, which also ends the browser if the driver has lost it.
 */
export class WebKitGtkBrowser implements RaceBrowser {
  readonly name = "webkitgtk";
  readonly complaints: string[] = [];
  readonly fetched: string[] = [];
  readonly #display: VirtualDisplay;
  readonly #driver: ChildProcess;
  readonly #session: WebDriverSession;

  private constructor(display: VirtualDisplay, driver: ChildProcess, session: WebDriverSession) {
    this.#display = display;
    this.#driver = driver;
    this.#session = session;
  }

  static async launch(): Promise<WebKitGtkBrowser> {
    const display = await VirtualDisplay.start();
    let driver: ChildProcess | undefined;
    try {
      const started = await startDriver(display);
      ({ driver } = started);
      const options = {
        binary: findMiniBrowser(),
        args: ["--automation", "--javascript-can-open-windows-automatically=true"],
      };
      const session = await WebDriverSession.start(started.url, { "webkitgtk:browserOptions": options });
      await session.resize(WINDOW);
      return new WebKitGtkBrowser(display, started.driver, session);
    } catch (error) {
      if (driver !== undefined) await endProcess(driver);
      await display.close();
      throw error;
    }
  }

  open(url: string): Promise<void> {
    return this.#session.open(url);
  }

  windows(): Promise<string[]> {
    return this.#session.windows();
  }

  switchTo(handle: string): Promise<void> {
    return this.#session.switchTo(handle);
  }

  closeWindow(): Promise<void> {
    return this.#session.closeWindow();
  }

  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result> {
    return this.#session.evaluate(String(work), argument) as Promise<Result>;
  }

  holdKey(key: RaceKey): Promise<void> {
    return this.#session.pressKeys([{ type: "keyDown", value: KEY_VALUES[key] }]);
  }

  releaseKey(key: RaceKey): Promise<void> {
    return this.#session.pressKeys([{ type: "keyUp", value: KEY_VALUES[key] }]);
  }

  async screenshot(file: string): Promise<void> {
    await writeFile(file, await this.#session.screenshot());
  }

  async close(): Promise<void> {
    // A hanging driver must not keep the display, and with it the browser, alive.
    const patience = new Promise((resolve) => setTimeout(resolve, 3000).unref());
    await Promise.race([this.#session.end().catch(() => undefined), patience]);
    await endProcess(this.#driver);
    await this.#display.close();
  }
}
