import { setTimeout as pause } from "node:timers/promises";
import { Chromium } from "../client/chromium.js";
import type { PageFront } from "./page-front.js";

export interface Page {
  readonly system: string;
  readonly url: string;
  readonly front: PageFront;
}

export interface FirstLoad {
  /** Time from the navigation to the first state of another's car, ms. */
  readonly firstStateMs: number;
  /** Bytes of the scripts that were asked for by then, compressed. */
  readonly scriptBytes: number;
}

const LIMIT_MS = 30_000;
const POLL_MS = 100;
const LOOK = `performance.getEntriesByName("first state").map(({ startTime }) => [performance.timeOrigin, startTime])[0]`;

/**
 * Loads the page in a new Chromium, which has nothing in its cache. Throws if it shows no first state in time; the
 * error has what the page and its network say.
 */
export async function firstStateOf({ url, front }: Page, executable: string): Promise<FirstLoad> {
  const browser = await Chromium.launch(executable);
  const said: string[] = [];
  try {
    await browser.open("about:blank");
    browser.on("Network.loadingFailed", ({ errorText, type }) =>
      said.push(`${String(type)}: ${String(errorText)}`),
    );
    browser.on("Network.webSocketClosed", () => said.push("the WebSocket was closed"));
    browser.on("Runtime.exceptionThrown", ({ exceptionDetails }) =>
      said.push(JSON.stringify(exceptionDetails)),
    );
    browser.on("Log.entryAdded", ({ entry }) => said.push(JSON.stringify(entry)));
    for (const domain of ["Network", "Runtime", "Log"]) await browser.send(`${domain}.enable`);
    await browser.send("Page.navigate", { url });
    for (const endMs = performance.now() + LIMIT_MS; performance.now() < endMs; await pause(POLL_MS)) {
      const seen = (await browser.evaluate(LOOK)) as [number, number] | undefined;
      if (seen === undefined) continue;
      const [originMs, firstStateMs] = seen;
      return { firstStateMs, scriptBytes: front.scriptBytes(originMs, originMs + firstStateMs) };
    }
    const scripts = await browser.evaluate(
      `JSON.stringify(performance.getEntriesByType("resource").map(({ name, startTime, responseEnd }) => [name, startTime, responseEnd].join(" ")))`,
    );
    throw new Error(
      `no first state in ${LIMIT_MS / 1000} s; loaded ${String(scripts)}; ${said.join("; ") || "no errors"}`,
    );
  } finally {
    await browser.close();
  }
}
