import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { CommandError, end } from "../network/commands.js";
import type { Namespace } from "../network/namespace.js";
import { ROOT } from "../network/places.js";

export type BrowserName = "chromium" | "firefox" | "webkitgtk";

export interface BrowserOptions {
  /** False to block UDP, so that WebRTC finds no candidates. Chromium only. */
  readonly hasUdp?: boolean;
  /** True if the browser can hide the page. Chromium only. */
  readonly isHideable?: boolean;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

const SCRIPT = path.join(ROOT, "e2e/dist/browser-process.mjs");
const LAUNCH_LIMIT_MS = 40_000;
const ANSWER_LIMIT_MS = 40_000;

/** A browser with one page, in a process inside a namespace or wherever else a process can start. */
export class RemoteBrowser {
  readonly name: BrowserName;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;

  private constructor(name: BrowserName, child: ChildProcess) {
    this.name = name;
    this.#process = child;
    child.on("message", (message) => this.#answered(message as Answer));
    child.once("exit", (code) => this.#failAll(`${name} ended with code ${code}`));
  }

  static async launch(
    name: BrowserName,
    place: Pick<Namespace, "start">,
    { hasUdp = true, isHideable = false }: BrowserOptions = {},
  ): Promise<RemoteBrowser> {
    const args = [SCRIPT, name, ...(hasUdp ? [] : ["--no-udp"]), ...(isHideable ? ["--hideable"] : [])];
    const child = place.start(process.execPath, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const browser = new RemoteBrowser(name, child);
    try {
      // The process reports by itself that it has started.
      await browser.#expect(0, LAUNCH_LIMIT_MS);
      return browser;
    } catch (error) {
      await end(child);
      throw error;
    }
  }

  async open(url: string): Promise<void> {
    await this.#tell("open", [url]);
  }

  /** Calls a method of a global object of the page, and resolves with its result. */
  async call(object: string, method: string, ...args: unknown[]): Promise<unknown> {
    return await this.#tell("call", [object, method, ...args]);
  }

  /** Brings another page to the front, which hides the driven one. */
  async hide(): Promise<void> {
    await this.#tell("hide", []);
  }

  async show(): Promise<void> {
    await this.#tell("show", []);
  }

  async close(): Promise<void> {
    await this.#tell("close", []).catch(() => undefined);
    await end(this.#process);
  }

  #tell(method: string, args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    this.#process.send({ id, method, args });
    return this.#expect(id, ANSWER_LIMIT_MS);
  }

  #expect(id: number, limitMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new CommandError(`${this.name} did not answer within ${limitMs} ms`));
      }, limitMs);
      const settle =
        <Value>(then: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(limit);
          this.#waiting.delete(id);
          then(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
    });
  }

  #answered({ id, value, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new CommandError(`${this.name}: ${error}`));
  }

  #failAll(reason: string): void {
    for (const waiting of [...this.#waiting.values()]) waiting.reject(new CommandError(reason));
  }
}
