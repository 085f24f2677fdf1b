import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import type { Socket } from "node:net";

/** A failed command, with its error output as the message. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Runs a short command to its end; `input` is its standard input. Returns its standard output. */
export function run(command: string, args: readonly string[], input?: string): string {
  const result = spawnSync(command, args, { encoding: "utf8", ...(input !== undefined && { input }) });
  if (result.error) throw new CommandError(`${command}: ${result.error.message}`);
  if (result.status !== 0) throw new CommandError(`${command} ${args.join(" ")}: ${result.stderr.trim()}`);
  return result.stdout;
}

const living = new Set<ChildProcess>();

/** Kills the process groups that it was told of when its input ends, which the end of this process causes. */
const WATCHER = `
  const groups = new Set();
  const input = require("node:readline").createInterface({ input: process.stdin });
  input.on("line", (line) => (line[0] === "+" ? groups.add(-line.slice(1)) : groups.delete(-line.slice(1))));
  input.on("close", () => {
    for (const group of groups) try { process.kill(group, "SIGKILL"); } catch {}
  });`;
let watcher: ChildProcess | undefined;

function watch(sign: "+" | "-", pid: number): void {
  if (!watcher) {
    watcher = spawn(process.execPath, ["-e", WATCHER], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    watcher.on("error", () => undefined);
    watcher.stdin!.on("error", () => undefined);
    watcher.unref();
    (watcher.stdin as Socket).unref();
    process.on("exit", killAll);
  }
  watcher.stdin!.write(`${sign}${pid}\n`);
}

/**
 * Starts a process that ends together with this one, however this one ends: by an exception, by any signal.
 * It leads a group of its own, which contains what it starts itself and ends with it.
 */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  child.once("error", () => living.delete(child));
  const { pid } = child;
  if (pid === undefined) return child;
  living.add(child);
  watch("+", pid);
  child.once("exit", () => {
    signalGroup(child, "SIGKILL");
    living.delete(child);
    watch("-", pid);
  });
  return child;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // The group has already ended.
  }
}

/** Ends a child and its group: sends `first`, and after two seconds SIGKILL. */
export async function end(child: ChildProcess, first: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (!living.has(child)) return;
  await new Promise<void>((resolve) => {
    const insist = setTimeout(() => signalGroup(child, "SIGKILL"), 2000);
    child.once("exit", () => {
      clearTimeout(insist);
      resolve();
    });
    signalGroup(child, first);
  });
}

/** Kills all children and their groups at once. */
export function killAll(): void {
  for (const child of living) signalGroup(child, "SIGKILL");
}
