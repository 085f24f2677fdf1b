import { readFileSync, readdirSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Browser, type Page } from "@playwright/test";
import type { PlayerIdentity, PlayerRecord } from "../packages/client/test/browser/lifecycle-page.js";
import { Friend } from "../packages/client/test/friend.js";
import { GameServer } from "../packages/client/test/game-server.js";
import { executableOf } from "../tools/browsers.mjs";
import { launchEngine, type PlaywrightEngine } from "./browsers/playwright-browser.js";
import { WebKitGtkBrowser } from "./browsers/webkitgtk-browser.js";
import { servePlayerPage } from "./page-script.js";

const RELOADS = 10;
/** Shortened from ten seconds. Tests on a virtual clock check the default. */
const UNLOAD_GRACE_MS = 2800;

/** Patterns for the command lines of processes that run pages. */
const pageProcess = {
  chromium: /--type=renderer/,
  firefox: /-contentproc .*\btab\b/,
  webkitgtk: /WebKitWebProcess/,
} as const;

interface PlayerWindow {
  readonly player?: {
    readonly record: PlayerRecord;
    enter(serverUrl: string): Promise<string>;
    identity(): PlayerIdentity;
    peers(): number;
  };
  isOld?: boolean;
}

/** A tab of any browser. */
interface Tab {
  run<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result>;
  reload(): Promise<void>;
  /** Opens another tab that begins with a copy of this one's session storage. */
  duplicate(): Promise<Tab>;
  close(): Promise<void>;
}

class PlaywrightTab implements Tab {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  run<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result> {
    return this.#page.evaluate(work as (given: unknown) => Result | Promise<Result>, argument);
  }

  async reload(): Promise<void> {
    await this.#page.reload();
  }

  async duplicate(): Promise<Tab> {
    // Copies the session storage, as "duplicate tab" does.
    const [page] = await Promise.all([
      this.#page.context().waitForEvent("page"),
      this.#page.evaluate(() => void window.open(location.href)),
    ]);
    await page.waitForLoadState();
    return new PlaywrightTab(page);
  }

  close(): Promise<void> {
    return this.#page.close({ runBeforeUnload: true });
  }
}

class WebKitGtkTab implements Tab {
  readonly #browser: WebKitGtkBrowser;
  readonly #handle: string;

  constructor(browser: WebKitGtkBrowser, handle: string) {
    this.#browser = browser;
    this.#handle = handle;
  }

  async run<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result> {
    await this.#browser.switchTo(this.#handle);
    return this.#browser.evaluate(work, argument);
  }

  async reload(): Promise<void> {
    await this.run(() => {
      (window as unknown as PlayerWindow).isOld = true;
      setTimeout(() => location.reload());
    });
    await this.isLoaded();
  }

  async isLoaded(): Promise<void> {
    const isThere = (): Promise<boolean> =>
      this.run(() => {
        const { isOld = false, player } = window as unknown as PlayerWindow;
        return !isOld && player !== undefined;
      });
    await expect.poll(() => isThere().catch(() => false), { intervals: [20] }).toBe(true);
  }

  async duplicate(): Promise<Tab> {
    const known = await this.#browser.windows();
    await this.run(() => void window.open(location.href));
    let handle: string | undefined;
    await expect
      .poll(async () => (handle = (await this.#browser.windows()).find((each) => !known.includes(each))))
      .toBeDefined();
    const tab = new WebKitGtkTab(this.#browser, handle!);
    await tab.isLoaded();
    return tab;
  }

  async close(): Promise<void> {
    await this.#browser.switchTo(this.#handle);
    await this.#browser.closeWindow();
  }
}

const enter = async (tab: Tab, serverUrl: string): Promise<PlayerIdentity> =>
  tab.run(async (url) => {
    const { player } = window as unknown as Required<PlayerWindow>;
    await player.enter(url);
    return player.identity();
  }, serverUrl);

/** Checks how a friend sees a page end: away at once, its car gone after 2 s, then the player gone. */
async function seesItEnd(friend: Friend, number: number, endedAtMs: number): Promise<void> {
  const after = (what: "away" | "car gone" | "left") => friend.sawAfter(endedAtMs, what, number);
  await expect.poll(() => after("left"), { timeout: 15_000, intervals: [50] }).toBeDefined();
  expect(after("away")).toBeLessThan(1000);
  expect(after("car gone")! - after("away")!).toBeGreaterThan(1900);
  expect(after("car gone")! - after("away")!).toBeLessThan(2500);
  expect(after("left")! - after("away")!).toBeGreaterThan(UNLOAD_GRACE_MS - 200);
  expect(after("left")! - after("away")!).toBeLessThan(UNLOAD_GRACE_MS + 1000);
}

/** Returns the page processes of the browsers that this process has started. */
function pageProcesses(pattern: RegExp): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  };
  const parentOf = (pid: string): string => /\) \S (\d+)/.exec(read(pid, "stat"))?.[1] ?? "0";
  const isOurs = (pid: string): boolean =>
    pid === String(process.pid) || (Number(pid) > 1 && isOurs(parentOf(pid)));
  return pids.filter((pid) => pattern.test(read(pid, "cmdline")) && isOurs(pid)).map(Number);
}

test.describe("a tab", () => {
  let server: GameServer;
  let pages: Server;
  let origin: string;
  let friend: Friend;
  let engine: Browser | undefined;
  let webKit: WebKitGtkBrowser | undefined;

  test.beforeEach(async () => {
    const rooms = { race: { maxPlayers: 4 } };
    server = await GameServer.start({ rooms, limits: { unloadGraceMs: UNLOAD_GRACE_MS } });
    pages = await servePlayerPage();
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
  });
  test.afterEach(async () => {
    friend.room.leave();
    await engine?.close();
    await webKit?.close();
    [engine, webKit] = [undefined, undefined];
    await server.stop();
    pages.close();
  });

  async function open(name: PlaywrightEngine | "webkitgtk"): Promise<Tab> {
    if (name === "webkitgtk") {
      webKit = await WebKitGtkBrowser.launch();
      await webKit.open(origin);
      const [handle] = await webKit.windows();
      return new WebKitGtkTab(webKit, handle!);
    }
    engine = await launchEngine(name);
    const page = await (await engine.newContext()).newPage();
    await page.goto(origin);
    return new PlaywrightTab(page);
  }

  for (const name of ["chromium", "firefox", "webkitgtk"] as const) {
    test(
      `of ${name} has one player after ten reloads and a second one in a duplicate; a closed or crashed one is away at once`,
      { tag: name === "chromium" ? [] : "@slow" },
      async () => {
        test.skip(executableOf(name) === undefined, `${name} is not installed`);
        const tab = await open(name);
        const first = await enter(tab, server.url);
        friend = await Friend.join(server.url);
        for (let count = 0; count < RELOADS; count++) {
          await tab.reload();
          expect(await enter(tab, server.url)).toEqual(first);
        }
        await expect.poll(() => friend.others).toEqual(["1 connected"]);
        expect(server.relay.health()).toMatchObject({ rooms: 1, sessions: 2 });
        const copy = await tab.duplicate();
        const second = await enter(copy, server.url);
        expect([second.roomId, second.sessionId === first.sessionId]).toEqual([first.roomId, false]);
        await expect.poll(() => friend.others).toHaveLength(2);
        await expect.poll(() => friend.sawAfter(0, "car", second.number)).toBeDefined();
        const closedAtMs = performance.now();
        await copy.close();
        await seesItEnd(friend, second.number, closedAtMs);
        expect(friend.others).toEqual(["1 connected"]);
        const crashedAtMs = performance.now();
        const pids = pageProcesses(pageProcess[name]);
        expect(pids.length).toBeGreaterThan(0);
        for (const pid of pids) process.kill(pid, "SIGKILL");
        await expect.poll(() => friend.others, { timeout: 15_000, intervals: [50] }).toEqual(["1 away"]);
        // The system closes the sockets of a dead process, so the server does not have to wait for silence.
        expect(friend.sawAfter(crashedAtMs, "away", 1)).toBeLessThan(3000);
      },
    );
  }

  test("of webkitgtk that is left and come back to goes on where it was", async () => {
    test.skip(executableOf("webkitgtk") === undefined, "webkitgtk is not installed");
    const tab = await open("webkitgtk");
    const first = await enter(tab, server.url);
    friend = await Friend.join(server.url);
    await expect.poll(() => friend.others).toEqual(["1 connected"]);
    await webKit!.open(`${origin}elsewhere`);
    await expect.poll(() => friend.others).toEqual(["1 away"]);
    await tab.run(() => void setTimeout(() => history.back()));
    await expect.poll(() => friend.others).toEqual(["1 connected"]);
    const { life, page, who } = await tab.run(() => {
      const { record, identity } = (window as unknown as Required<PlayerWindow>).player;
      return { ...record, who: identity() };
    });
    expect([page, life]).toEqual([
      ["pageshow", "pagehide kept", "pageshow kept"],
      ["drop", "resumed"],
    ]);
    expect(who).toEqual(first);
  });
});
