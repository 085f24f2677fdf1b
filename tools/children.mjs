/**
 * Child processes that never outlive this one. Each child leads its own process group, so that ending it also
 * ends what it
 * started (a browser, a worker). A terminal's Ctrl-C therefore reaches only this process, which passes it on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { joinOneCpuGroup, yieldCpu } from "./one-cpu-group.mjs";

const HAS_GROUPS = process.platform !== "win32";

/** Environment variable with the path of children to a process. Processes inherit it, also those that lead a session. */
const LINEAGE = "PACELINE_LINEAGE";
const OWN_LINEAGE = process.env[LINEAGE] ?? "";

/**
 * The children, with their lineage.
 * @type {Map<import("node:child_process").ChildProcess, string>}
 */
const living = new Map();
let started = 0;

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

/**
 * Kills all that a child has started and left behind: its group, and on Linux also what left the group, as browsers do.
 * @param {import("node:child_process").ChildProcess} child
 * @param {string | undefined} lineage
 */
function killLeftovers(child, lineage) {
  send(child, "SIGKILL");
  if (process.platform !== "linux" || lineage === undefined) return;
  const entry = `${LINEAGE}=${lineage}`;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
      if (environment.some((each) => each === entry || each.startsWith(`${entry}/`)))
        process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, or belongs to somebody else.
    }
  }
}

/** @param {import("node:child_process").ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/**
 * `isPatient`: the child and all that it starts get only the CPU time that nothing else wants.
 * @typedef {{ cwd?: string, env?: Record<string, string>, isPatient?: boolean, stdio?: import("node:child_process").StdioOptions }} StartOptions
 */

/** @param {string} command @param {string[]} args @param {StartOptions} [options] */
export function startChild(command, args, options = {}) {
  const lineage = `${OWN_LINEAGE}/${process.pid}.${started++}`;
  const child = spawn(command, args, {
    cwd: options.cwd ?? process.cwd(),
    env: { ...process.env, ...options.env, [LINEAGE]: lineage },
    stdio: options.stdio ?? ["ignore", "pipe", "pipe"],
    detached: HAS_GROUPS,
    // On Windows only npm's and pnpm's entry points are scripts; every other command is Node itself.
    shell: process.platform === "win32" && !command.endsWith(".exe"),
  });
  // At once: the threads and processes that the child starts get its priority.
  if (options.isPatient && child.pid !== undefined) yieldCpu(child.pid);
  living.set(child, lineage);
  child.once("exit", () => living.delete(child));
  child.once("error", () => living.delete(child));
  return child;
}

/**
 * Runs a command to its end. Never rejects: a command that cannot start is a result with code 127.
 * @param {string} command
 * @param {string[]} args
 * @param {StartOptions & { timeoutMs?: number, echo?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string, durationMs: number }>}
 */
export async function runChild(command, args, options = {}) {
  const startedMs = performance.now();
  const child = startChild(command, args, options);
  const lineage = living.get(child);
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
  killLeftovers(child, lineage);
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
  for (const [child, lineage] of [...living].toReversed()) {
    await endChild(child, first);
    killLeftovers(child, lineage);
  }
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
  for (const [child, lineage] of living) killLeftovers(child, lineage);
});
