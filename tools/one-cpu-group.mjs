/**
 * Linux can divide CPU time among sessions first, and then among the processes of each ("autogroups"). Every
 * child of these tools leads a session, and so does every browser of Playwright. Beside two busy browsers, a server
 * that hardly works then waits for a CPU for up to a second, and its game stands still. Sessions count only for
 * processes in the root group of CPU time, so these tools move themselves, and with them all that they start, into
 * one group of their own. A container and a user's session have such a group already.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const ROOT_GROUP = "/sys/fs/cgroup/cpu";
const NAME = "paceline";

/** True if this process is in the root group of CPU time. */
function isInRoot() {
  const groups = readFileSync("/proc/self/cgroup", "utf8").split("\n");
  return groups.some((line) => /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:\/$/.test(line));
}

/** @param {string} directory a group's @param {string} pid */
const move = (directory, pid) => writeFileSync(path.join(directory, "cgroup.procs"), pid);

/** Moves this process into the group until it ends. Without the right to do so, it stays where it is. */
export function joinOneCpuGroup() {
  if (!existsSync(ROOT_GROUP) || !isInRoot()) return;
  const group = path.join(ROOT_GROUP, NAME);
  const pid = String(process.pid);
  try {
    mkdirSync(group, { recursive: true });
    move(group, pid);
  } catch {
    return;
  }
  process.once("exit", () => {
    try {
      move(ROOT_GROUP, pid);
      rmdirSync(group);
    } catch {
      // Another run of these tools is still in the group.
    }
  });
}

/**
 * Gives a process the lowest priority: it computes while nothing else wants the CPU, and disturbs no test that waits
 * for real time. Beside the process's own priority there is that of its session, which counts if this process could not
 * join the one group.
 * @param {number} pid the leader of a session
 */
export function yieldCpu(pid) {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
    if (existsSync(`/proc/${pid}/autogroup`)) writeFileSync(`/proc/${pid}/autogroup`, "19");
  } catch {
    // It has ended, or the system does not allow it: then it takes its share.
  }
}
