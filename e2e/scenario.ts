/** Fixtures of every scenario: servers, browsers that are closed afterwards, and a line in the report. */
import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { test as base, type Browser } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";
import {
  launchEngine,
  type PageOptions,
  PlaywrightBrowser,
  type PlaywrightEngine,
} from "./browsers/playwright-browser.js";
import type { BrowserName, RaceBrowser } from "./browsers/race-browser.js";
import { WebKitGtkBrowser } from "./browsers/webkitgtk-browser.js";
import type { PositionError } from "./position-error.js";
import { RaceServer } from "./race-server.js";

const ARTEFACTS = path.resolve(import.meta.dirname, "../artefacts");

/** One line of the report. */
interface Finding {
  readonly scenario: string;
  /** The watching page and the watched one. */
  readonly browsers: string;
  readonly path: string;
  /** Time from the request for a room to the first state of another player, ms. */
  readonly firstStateMs?: number | undefined;
  /** Time from the request for a room to the direct path, ms. */
  readonly directMs?: number | undefined;
  readonly error?: PositionError | undefined;
  readonly note?: string;
}

/** Options of a page; WebKitGTK supports none of them. */
interface EnterOptions extends PageOptions {
  /** False to block UDP, so that WebRTC exists but never connects. Chromium only. */
  readonly hasUdp?: boolean;
}

export interface Fixtures {
  startServer: (driverCount?: number, flags?: readonly string[]) => Promise<RaceServer>;
  /** Opens a browser window; skips the scenario if that browser is not installed. */
  enter: (name: BrowserName, options?: EnterOptions) => Promise<RaceBrowser>;
  report: (finding: Finding) => void;
}

interface WorkerFixtures {
  engine: (name: PlaywrightEngine, hasUdp: boolean) => Promise<Browser>;
}

function lineOf(finding: Finding): string {
  const { scenario, browsers, firstStateMs, directMs, error } = finding;
  const times = [
    firstStateMs === undefined ? [] : [`first state ${firstStateMs.toFixed(0)} ms`],
    directMs === undefined ? [] : [`direct ${directMs.toFixed(0)} ms`],
  ].flat();
  const metres =
    error &&
    `error p50 ${error.p50M.toFixed(2)} p95 ${error.p95M.toFixed(2)} max ${error.maxM.toFixed(2)} m` +
      ` in ${error.count} frames (${error.disturbed} left out)`;
  const parts = [scenario, browsers, finding.path, times.join(", "), metres, finding.note];
  return parts.filter((part) => part !== undefined && part !== "").join(" | ");
}

export function screenshotFile(name: string): string {
  return path.join(ARTEFACTS, "screenshots", `${name}.png`);
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  engine: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const launched = new Map<string, Promise<Browser>>();
      await use((name, hasUdp) => {
        const key = `${name} ${hasUdp}`;
        const engine = launched.get(key) ?? launchEngine(name, { hasUdp });
        launched.set(key, engine);
        return engine;
      });
      for (const engine of launched.values()) await (await engine).close();
    },
    { scope: "worker" },
  ],

  // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
  startServer: async ({}, use, info) => {
    const servers: RaceServer[] = [];
    await use(async (driverCount = 0, flags: readonly string[] = []) => {
      const server = await RaceServer.start(driverCount, flags);
      servers.push(server);
      return server;
    });
    for (const server of servers) {
      await server.stop();
      await info.attach("server log", { body: server.log, contentType: "text/plain" });
    }
  },

  enter: async ({ engine }, use, info) => {
    const browsers: RaceBrowser[] = [];
    await use(async (name, options = {}) => {
      base.skip(executableOf(name) === undefined, `${name} is not installed`);
      const browser =
        name === "webkitgtk"
          ? await WebKitGtkBrowser.launch()
          : await PlaywrightBrowser.launch(name, await engine(name, options.hasUdp ?? true), options);
      browsers.push(browser);
      return browser;
    });
    for (const [index, browser] of browsers.entries()) {
      const scenario = info.title.replaceAll(/\W+/g, "-").toLowerCase();
      await browser
        .screenshot(screenshotFile(`${scenario}-${index + 1}-${browser.name}`))
        .catch(() => undefined);
      await browser.close();
    }
  },

  // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
  report: async ({}, use) => {
    mkdirSync(path.join(ARTEFACTS, "screenshots"), { recursive: true });
    await use((finding) => {
      const line = lineOf(finding);
      console.log(line);
      appendFileSync(path.join(ARTEFACTS, "e2e.jsonl"), `${JSON.stringify({ ...finding, line })}\n`);
    });
  },
});
