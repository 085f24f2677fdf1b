import { setTimeout as pause } from "node:timers/promises";
import { Child } from "../child.js";
import type { ChildArguments } from "../room/child-process.js";
import { TICK_HZ } from "../room/world.js";
import { Chromium } from "./chromium.js";
import type { PageReport, Reading } from "./page-report.js";

const JOIN_LIMIT_MS = 20_000;
const POLL_MS = 200;
/** Time before a measurement that does not count: the engine compiles after each change of the reading. */
const SETTLE_MS = 1000;
/** Fewest states and frames; a page with fewer has not done the measured work. */
const LEAST_STATES = 0.9 * TICK_HZ;
const LEAST_FRAMES_PER_SECOND = 20;

export interface PageOptions {
  readonly system: string;
  /** Address of the page that plays in the system. */
  readonly pageUrl: string;
  readonly port: number;
  readonly entities: number;
  readonly executable: string;
}

/** CPU time (ms), states and frames of the page per second of a window. */
export interface PageFigures {
  readonly scriptMs: number;
  readonly taskMs: number;
  readonly processMs: number;
  readonly states: number;
  readonly frames: number;
}

/** A system's server in a separate process, and its player in a browser. */
export class WatchedPage {
  readonly browser: Chromium;
  readonly #server: Child<ChildArguments>;
  readonly #options: PageOptions;

  private constructor(options: PageOptions, server: Child<ChildArguments>, browser: Chromium) {
    this.#options = options;
    this.#server = server;
    this.browser = browser;
  }

  /** Resolves when the page has joined and sees every entity. */
  static async open(options: PageOptions): Promise<WatchedPage> {
    const { system, port, entities, executable, pageUrl } = options;
    const server = new Child<ChildArguments>({ role: "server", system, port, players: entities }, 0);
    let browser: Chromium | undefined;
    try {
      await server.ready();
      browser = await Chromium.launch(executable);
      const page = new WatchedPage(options, server, browser);
      await browser.open(`${pageUrl}?server=${encodeURIComponent(`http://127.0.0.1:${port}`)}`);
      await page.#joined();
      return page;
    } catch (error) {
      await browser?.close();
      await server.end();
      throw error;
    }
  }

  /** Measures a window in which the page uses this reading. Throws if its entities do not move. */
  async measure(reading: Reading, seconds: number): Promise<PageFigures> {
    const { system, entities } = this.#options;
    const isKnown = await this.browser.evaluate(`watch.read(${JSON.stringify(reading)})`);
    if (isKnown !== true) throw new Error(`${system} cannot read "${reading}"`);
    await pause(SETTLE_MS);
    const before = await this.#report();
    const [from, fromMs] = [await this.browser.times(), performance.now()];
    await pause(seconds * 1000);
    const [to, toMs] = [await this.browser.times(), performance.now()];
    const after = await this.#report();
    const passed = (toMs - fromMs) / 1000;
    const moved = after.positions.filter(([x, y], index) => {
      const [oldX, oldY] = before.positions[index]!;
      return x !== oldX || y !== oldY;
    }).length;
    const figures = {
      scriptMs: ((to.script - from.script) * 1000) / passed,
      taskMs: ((to.task - from.task) * 1000) / passed,
      processMs: ((to.process - from.process) * 1000) / passed,
      states: (after.tick - before.tick) / passed,
      frames: (after.frames - before.frames) / passed,
    };
    if (moved < entities) throw new Error(`${system}: ${moved} of ${entities} entities moved in the page`);
    if (figures.states < LEAST_STATES)
      throw new Error(`${system}: the page got ${figures.states.toFixed(1)} states a second`);
    if (figures.frames < LEAST_FRAMES_PER_SECOND)
      throw new Error(`${system}: the page drew ${figures.frames.toFixed(1)} frames a second`);
    return figures;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.#server.end();
  }

  async #joined(): Promise<void> {
    const { system, entities } = this.#options;
    const untilMs = performance.now() + JOIN_LIMIT_MS;
    while (performance.now() < untilMs) {
      await pause(POLL_MS);
      const isThere = await this.browser.evaluate("typeof watch === 'object'");
      if (isThere === true && (await this.#report()).positions.length === entities) return;
    }
    throw new Error(`${system}: the page showed no ${entities} entities within ${JOIN_LIMIT_MS / 1000} s`);
  }

  async #report(): Promise<PageReport> {
    return (await this.browser.evaluate("watch.report()")) as PageReport;
  }
}
