import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** Facts that tell a process from all others, also from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process began, as the system says it. Empty where the system does not tell. */
  readonly startedAt: string;
  /** The run of the system: its machine, and on Linux the boot. */
  readonly system: string;
  /** The space of process numbers. Containers have one each. Empty where there is only one. */
  readonly pidSpace: string;
}

/** Returns the identity of this process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const { pid } = process;
  const boot = await textOf(() => readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  const pidSpace = await textOf(() => readlink("/proc/self/ns/pid"));
  // A container has a host name of its own, but the boot of its machine.
  return { pid, startedAt: await startOf(pid), system: boot.trim() || hostname(), pidSpace };
}

/**
 * Returns true if that process runs. Returns undefined if it cannot be known from here: the process is of
 * another machine or container.
 */
export async function isRunning(other: ProcessIdentity, own: ProcessIdentity): Promise<boolean | undefined> {
  if (other.system !== own.system || other.pidSpace !== own.pidSpace) return undefined;
  if (!isPresent(other.pid)) return false;
  const startedAt = await startOf(other.pid);
  return startedAt === "" || other.startedAt === "" || startedAt === other.startedAt;
}

function isPresent(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user may not be signalled, but it is there.
    return (error as { readonly code?: string }).code === "EPERM";
  }
}

async function startOf(pid: number): Promise<string> {
  switch (process.platform) {
    case "linux": {
      const stat = await textOf(() => readFile(`/proc/${pid}/stat`, "utf8"));
      // The name before it may contain spaces and parentheses. The start is field 22, in ticks since the boot.
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    }
    case "win32":
      return "";
    default: {
      const ps = async () => (await promisify(execFile)("ps", ["-o", "lstart=", "-p", `${pid}`])).stdout;
      return (await textOf(ps)).trim();
    }
  }
}

async function textOf(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch {
    return "";
  }
}
