import { readdirSync } from "node:fs";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { killAll, run, start } from "./commands.js";

/** The folder in which `ip netns` keeps named namespaces. */
const FOLDER = "/run/netns";
/** Contains the process id, by which a later run finds the namespaces of a killed one. */
const PREFIX = `lab${process.pid}-`;

/** Below the priority of the wires. */
const PRIORITY = "5";

const existing = new Set<Namespace>();

/** A network namespace, which is a separate host for the network. It ends with this process at the latest. */
export class Namespace {
  readonly name: string;

  constructor(label: string) {
    this.name = PREFIX + label;
    run("ip", ["netns", "add", this.name]);
    existing.add(this);
    this.ip("link", "set", "lo", "up");
    this.sysctl("net.ipv6.conf.all.disable_ipv6=1");
    this.sysctl("net.ipv6.conf.default.disable_ipv6=1");
    // The driver of WebKitGTK listens on both loopback addresses or not at all.
    this.sysctl("net.ipv6.conf.lo.disable_ipv6=0");
  }

  /** Runs an `ip` command inside. */
  ip(...args: string[]): void {
    run("ip", ["-n", this.name, ...args]);
  }

  sysctl(setting: string): void {
    run("ip", ["netns", "exec", this.name, "sysctl", "-qw", setting]);
  }

  /** Adds rules to the packet filter. */
  nft(rules: string): void {
    run("ip", ["netns", "exec", this.name, "nft", "-f", "-"], rules);
  }

  start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    return start("ip", ["netns", "exec", this.name, command, ...args], options);
  }

  /**
   * Gives all processes inside, and their children, real-time priority, so that other load of the machine is
   * not measured.
   */
  hurry(): void {
    for (const pid of pidsIn(this.name)) {
      try {
        run("chrt", ["--all-tasks", "--rr", "--pid", PRIORITY, pid]);
      } catch {
        // The process has ended, or may not have real-time priority: other load then shows in its times.
      }
    }
  }

  /** Removes the namespace, and kills all processes inside. */
  remove(): void {
    if (existing.delete(this)) removeNamed(this.name);
  }
}

function pidsIn(name: string): string[] {
  return run("ip", ["netns", "pids", name]).split("\n").filter(Boolean);
}

function removeNamed(name: string): void {
  for (const pid of pidsIn(name)) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended by itself in the meantime.
    }
  }
  run("ip", ["netns", "del", name]);
}

/** Removes the namespaces of runs that ended without a clean-up. */
export function removeOrphans(): void {
  let names: string[];
  try {
    names = readdirSync(FOLDER);
  } catch {
    return;
  }
  for (const name of names) {
    const pid = /^lab(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeNamed(name);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Cleans up at the end of this process, by a signal, an error or a call of `exit`. */
export function cleanUpAtEnd(): void {
  process.on("exit", () => {
    killAll();
    for (const namespace of [...existing]) namespace.remove();
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
}
