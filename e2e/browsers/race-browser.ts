/** A browser window in a race, with the same interface for each engine and driver. */

export type BrowserName = "chromium" | "firefox" | "webkitgtk";

/** Small, because two CPU cores draw every pixel besides running three browsers, a server and the test. */
export const WINDOW = { width: 720, height: 450 };

/** The keys that scenarios press, by `KeyboardEvent.code`. */
export type RaceKey =
  | "ArrowUp"
  | "ArrowDown"
  | "ArrowLeft"
  | "ArrowRight"
  | "Space"
  | "Enter"
  | "Tab"
  | "Escape"
  | "KeyI"
  | "KeyK"
  | "KeyP"
  | "KeyR";

export interface RaceBrowser {
  readonly name: BrowserName;
  /** Errors and warnings of the page. Empty for WebKitGTK, because WebDriver has no console. */
  readonly complaints: readonly string[];
  /** Fetched addresses. Empty for WebKitGTK, for the same reason. */
  readonly fetched: readonly string[];
  open(url: string): Promise<void>;
  /** Runs a function in the page. It can use its argument and the page, but no variables of the test. */
  evaluate<Result>(work: () => Result | Promise<Result>): Promise<Result>;
  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>;
  /** Presses a key and keeps it down. */
  holdKey(key: RaceKey): Promise<void>;
  releaseKey(key: RaceKey): Promise<void>;
  /** Writes a PNG of the window. */
  screenshot(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Evaluates `work` in the page until it is truthy; throws with `what` after the timeout. */
export async function waitInPage<Result, Argument>(
  browser: RaceBrowser,
  what: string,
  work: (argument: Argument) => Result | Promise<Result>,
  options: { argument: Argument; timeoutMs: number },
): Promise<Exclude<Result, undefined | null | false>> {
  const deadlineMs = Date.now() + options.timeoutMs;
  for (;;) {
    const answer = await browser.evaluate(work, options.argument);
    if (answer) return answer as Exclude<Result, undefined | null | false>;
    if (Date.now() > deadlineMs) {
      throw new Error(`${browser.name}: waited ${options.timeoutMs} ms in vain: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
