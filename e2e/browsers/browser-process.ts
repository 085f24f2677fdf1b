/**
 * A browser in a process of its own, which may run inside a network namespace. The parent process sends its
 * commands over the
 * IPC channel. Argument: the browser's name. Options: --no-udp, --hideable (Chromium only).
 */
import { HideableChromium } from "./hideable-chromium.js";
import { launchEngine, PlaywrightBrowser } from "./playwright-browser.js";
import { WebKitGtkBrowser } from "./webkitgtk-browser.js";

interface Command {
  readonly id: number;
  readonly method: "open" | "call" | "hide" | "show" | "close";
  /**
   * For `open` the address; for `call` the names of the global object and of its method, and the arguments.
   */
  readonly args: readonly unknown[];
}

interface Driven {
  open(url: string): Promise<void>;
  evaluate<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>;
  hide?(): Promise<void>;
  show?(): Promise<void>;
  close(): Promise<void>;
}

type GlobalObjects = Readonly<Record<string, Readonly<Record<string, (...given: unknown[]) => unknown>>>>;

const [name = "", ...flags] = process.argv.slice(2);

async function launch(): Promise<Driven> {
  if (name === "webkitgtk") return WebKitGtkBrowser.launch();
  if (name !== "chromium" && name !== "firefox") throw new Error(`no browser is called ${name}`);
  if (flags.includes("--hideable")) return HideableChromium.launch();
  const engine = await launchEngine(name, { hasUdp: !flags.includes("--no-udp") });
  const browser = await PlaywrightBrowser.launch(name, engine);
  return {
    open: (url) => browser.open(url),
    evaluate: (work, argument) => browser.evaluate(work, argument),
    close: () => engine.close(),
  };
}

function obey(browser: Driven, { method, args }: Command): Promise<unknown> {
  switch (method) {
    case "open":
      return browser.open(args[0] as string);
    case "hide":
    case "show":
      return browser[method]?.() ?? Promise.reject(new Error("this browser's page cannot be hidden"));
    case "close":
      return browser.close();
    case "call":
      return browser.evaluate((call) => {
        const [object, member, ...given] = call as [string, string, ...unknown[]];
        return (globalThis as unknown as GlobalObjects)[object]![member]!(...given);
      }, args);
  }
}

async function run(): Promise<void> {
  const browser = await launch();
  process.on("message", (command: Command) => {
    obey(browser, command).then(
      (value) => process.send!({ id: command.id, value }),
      (error: unknown) => process.send!({ id: command.id, error: String(error) }),
    );
  });
  process.on("disconnect", () => {
    const exit = () => process.exit();
    browser.close().then(exit, exit);
  });
  process.send!({ id: 0 });
}

await run();
