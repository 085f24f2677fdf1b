import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const ARGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
];
const READY_LIMIT_MS = 20_000;

/** A headless Chromium with its own profile, driven over DevTools. */
export interface ChromiumProcess {
  readonly child: ChildProcess;
  /** Address of its DevTools, `ws://...`. */
  readonly debuggerUrl: string;
  /** Removes the profile; call it after the process has ended. */
  removeProfile(): void;
}

/** Starts Chromium by `start`, by default `spawn`. */
export async function startChromium(
  executable: string,
  args: readonly string[] = [],
  start: (command: string, args: string[], options: SpawnOptions) => ChildProcess = spawn,
): Promise<ChromiumProcess> {
  const profile = mkdtempSync(path.join(os.tmpdir(), "paceline-chromium-"));
  const all = [...ARGS, ...args, `--user-data-dir=${profile}`, "about:blank"];
  const child = start(executable, all, { stdio: ["ignore", "ignore", "pipe"] });
  return {
    child,
    debuggerUrl: await debuggerOf(child),
    // Helper processes may still write into the profile.
    removeProfile: () => rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** Resolves with the address that Chromium prints at its start. */
function debuggerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error("Chromium did not say where to drive it")),
      READY_LIMIT_MS,
    );
    let said = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said)?.[0];
      if (address === undefined) return;
      clearTimeout(limit);
      resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`Chromium ended with code ${code}: ${said.slice(-300)}`)));
  });
}
