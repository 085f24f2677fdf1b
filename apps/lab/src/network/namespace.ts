import { readdirSync } from "node:fs";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { killAll, run, start } from "./commands.js";

/** The folder in which `ip netns` keeps named namespaces. */
const FOLDER = "/run/netns";
/** Names tell whose they are: what a run left that was killed is removed by the next one. */
const PREFIX = `lab${process.pid}-`;

/** Below that of the wires. */
const PRIORITY = "5";

const existing = new Set<Namespace>();

/** A host of its own, as far as the network goes. It ends with this process at the latest. */
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

  /** An `ip` command inside. */
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

  /** Starts a process inside. */
  start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    return start("ip", ["netns", "exec", this.name, command, ...args], options);
  }

  /** Real-time priority for all that runs inside, and for what it starts: what else this machine does is not measured. */
  hurry(): void {
    for (const pid of pidsIn(this.name)) {
      try {
        run("chrt", ["--all-tasks", "--rr", "--pid", PRIORITY, pid]);
      } catch {
        // It has ended by itself in the meantime, or may not: then its times are those of a busy machine.
      }
    }
  }

  /** With all processes that still run inside. */
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
      // It has ended by itself in the meantime.
    }
  }
  run("ip", ["netns", "del", name]);
}

/** Removes what a run left behind that could not clean up itself. */
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

/** Whatever ends this process: a signal, an error, its own decision. */
export function cleanUpAtEnd(): void {
  process.on("exit", () => {
    killAll();
    for (const namespace of [...existing]) namespace.remove();
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
}
