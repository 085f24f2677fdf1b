import { WebSocket, type RawData } from "ws";
import { startChromium, type ChromiumProcess } from "../browsers/chromium-process.js";

const ANSWER_LIMIT_MS = 30_000;
const CLOSE_LIMIT_MS = 5000;

type Fields = Readonly<Record<string, unknown>>;
interface Waiting {
  resolve(result: Fields): void;
  reject(error: Error): void;
}
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message: string };
}

/** CPU time that the browser has used since its start, s. */
export interface BrowserTimes {
  /** Scripts on the page's main thread. */
  readonly script: number;
  /** All work on the page's main thread. */
  readonly task: number;
  /** All threads of the page's process. */
  readonly process: number;
}

/** A Chromium with one page, driven over the DevTools protocol. */
export class Chromium {
  readonly #process: ChromiumProcess;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (params: Fields) => void>();
  #session: string | undefined;
  #lastId = 0;

  private constructor(process: ChromiumProcess, socket: WebSocket) {
    this.#process = process;
    this.#socket = socket;
    socket.on("message", (data: RawData) => this.#take(JSON.parse((data as Buffer).toString()) as Message));
    socket.on("close", () => {
      for (const waiting of this.#waiting.values()) waiting.reject(new Error("Chromium has ended"));
    });
  }

  static async launch(executable: string): Promise<Chromium> {
    const process = await startChromium(executable);
    const socket = new WebSocket(process.debuggerUrl, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new Chromium(process, socket);
  }

  /** Opens the page, and begins to count processor time. */
  async open(url: string): Promise<void> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#session = sessionId as string;
    // A page behind others draws no frames.
    await this.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    // Counts the thread's CPU time and not wall time, which includes other work of the machine.
    await this.send("Performance.enable", { timeDomain: "threadTicks" });
    await this.send("Page.navigate", { url });
  }

  /** Calls the listener for each event of this name. Replaces an earlier listener. */
  on(method: string, listener: (params: Fields) => void): void {
    this.#listeners.set(method, listener);
  }

  /** Calls a command of the protocol, for the page if one is open. */
  send(method: string, params: Fields = {}): Promise<Fields> {
    const id = ++this.#lastId;
    const isOfBrowser = /^(Browser|SystemInfo|Target)\./.test(method);
    const sessionId = isOfBrowser ? undefined : this.#session;
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`Chromium did not answer ${method}`)), ANSWER_LIMIT_MS);
      const done = (): void => {
        clearTimeout(limit);
        this.#waiting.delete(id);
      };
      this.#waiting.set(id, {
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
      });
    });
  }

  /** Evaluates an expression in the page; throws if the expression throws. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`the page: ${JSON.stringify(exceptionDetails)}`);
    return (result as { readonly value?: unknown }).value;
  }

  async times(): Promise<BrowserTimes> {
    const [{ metrics }, { processInfo }] = await Promise.all([
      this.send("Performance.getMetrics"),
      this.send("SystemInfo.getProcessInfo"),
    ]);
    const of = (name: string): number =>
      (metrics as { name: string; value: number }[]).find((each) => each.name === name)?.value ?? Number.NaN;
    const renderers = (processInfo as { type: string; cpuTime: number }[]).filter(
      ({ type }) => type === "renderer",
    );
    return {
      script: of("ScriptDuration"),
      task: of("TaskDuration"),
      process: renderers.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
    };
  }

  /** Counts packets and bytes, in and out, of the page's WebSockets during the call. */
  async traffic(during: () => Promise<void>): Promise<Traffic> {
    const counted = { packetsIn: 0, bytesIn: 0, packetsOut: 0, bytesOut: 0 };
    const bytesOf = ({ response }: Fields): number => {
      const { opcode, payloadData } = response as { readonly opcode: number; readonly payloadData: string };
      return Buffer.from(payloadData, opcode === 1 ? "utf8" : "base64").length;
    };
    this.#listeners.set("Network.webSocketFrameReceived", (params) => {
      counted.packetsIn += 1;
      counted.bytesIn += bytesOf(params);
    });
    this.#listeners.set("Network.webSocketFrameSent", (params) => {
      counted.packetsOut += 1;
      counted.bytesOut += bytesOf(params);
    });
    await this.send("Network.enable");
    await during();
    await this.send("Network.disable");
    return counted;
  }

  /** Returns a CPU profile of the page during the call, in the format that DevTools and editors open. */
  async profile(during: () => Promise<void>): Promise<unknown> {
    await this.send("Profiler.enable");
    await this.send("Profiler.setSamplingInterval", { interval: 200 });
    await this.send("Profiler.start");
    await during();
    const { profile } = await this.send("Profiler.stop");
    return profile;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.child.once("exit", resolve));
    // Closed this way, Chromium first ends its helper processes, which write into the profile.
    const limit = setTimeout(() => this.#process.child.kill("SIGKILL"), CLOSE_LIMIT_MS);
    this.send("Browser.close").catch(() => undefined);
    await ended;
    clearTimeout(limit);
    this.#process.removeProfile();
  }

  #take({ id, method, params = {}, result = {}, error }: Message): void {
    if (id === undefined) return this.#listeners.get(method!)?.(params);
    const waiting = this.#waiting.get(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}

export interface Traffic {
  readonly packetsIn: number;
  readonly bytesIn: number;
  readonly packetsOut: number;
  readonly bytesOut: number;
}
