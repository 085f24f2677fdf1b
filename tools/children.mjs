/**
 * Child processes that never outlive this one. Each child leads its own process group, so that ending it also
 * ends what it
 * started (a browser, a worker). A terminal's Ctrl-C therefore reaches only this process, which passes it on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { joinOneCpuGroup } from "./one-cpu-group.mjs";

const HAS_GROUPS = process.platform !== "win32";

/** @type {Set<import("node:child_process").ChildProcess>} */
const living = new Set();

joinOneCpuGroup();

/** @param {import("node:child_process").ChildProcess} child @param {NodeJS.Signals} signal */
function send(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group has already ended.
  }
}

/** @param {import("node:child_process").ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, stdio?: import("node:child_process").StdioOptions }} [options]
 */
export function startChild(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: options.cwd ?? process.cwd(),
    env: { ...process.env, ...options.env },
    stdio: options.stdio ?? ["ignore", "pipe", "pipe"],
    detached: HAS_GROUPS,
    // On Windows only npm's and pnpm's entry points are scripts; every other command is Node itself.
    shell: process.platform === "win32" && !command.endsWith(".exe"),
  });
  living.add(child);
  child.once("exit", () => living.delete(child));
  child.once("error", () => living.delete(child));
  return child;
}

/**
 * Runs a command to its end. Never rejects: a command that cannot start is a result with code 127.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, timeoutMs?: number, echo?: boolean, stdio?: import("node:child_process").StdioOptions }} [options]
 * @returns {Promise<{ code: number, output: string, durationMs: number }>}
 */
export async function runChild(command, args, options = {}) {
  const startedMs = performance.now();
  const child = startChild(command, args, options);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (options.echo) process.stdout.write(text);
    });
  }
  const { timeoutMs } = options;
  const limit = timeoutMs === undefined ? undefined : setTimeout(() => void endChild(child), timeoutMs);
  const code = await new Promise((resolve) => {
    child.once("error", (error) => {
      output += `${error.message}\n`;
      resolve(127);
    });
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  clearTimeout(limit);
  // Kills every process that the command left in its group.
  send(child, "SIGKILL");
  const durationMs = performance.now() - startedMs;
  if (timeoutMs !== undefined && durationMs >= timeoutMs)
    output += `\nEnded after its limit of ${timeoutMs} ms.\n`;
  return { code, output, durationMs };
}

/**
 * Ends a child: sends `first`, and after eight seconds SIGKILL.
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} [first]
 */
export async function endChild(child, first = "SIGTERM") {
  for (const [signal, graceMs] of /** @type {[NodeJS.Signals, number][]} */ ([
    [first, 8000],
    ["SIGKILL", 2000],
  ])) {
    if (hasEnded(child)) return;
    send(child, signal);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), graceMs);
    await once(child, "exit", { signal: limit.signal }).catch(() => undefined);
    clearTimeout(timer);
  }
}

/**
 * Ends all children, the last one first, since later ones may use earlier ones. @param {NodeJS.Signals}
 * [first]
 */
export async function endAllChildren(first) {
  for (const child of [...living].toReversed()) await endChild(child, first);
}

/**
 * Ends the children and then this process on Ctrl-C, a closed terminal or `kill`. Does the same if the npm
 * that started it
 * ends: npm dies of a signal without passing it on.
 * @param {number} exitCode
 * @param {() => void} [onEnding] called once, before the first child is ended
 */
export function endChildrenOnSignals(exitCode, onEnding) {
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    onEnding?.();
    void endAllChildren("SIGINT").then(() => process.exit(exitCode));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, end);
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 500).unref();
}

process.on("exit", () => {
  for (const child of living) send(child, "SIGKILL");
});
