import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import type { Server } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";

const PORTS_TRIED = 20;

/** Resolves with the server's address once it accepts connections. */
export function listenOn(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      const bound = server.address() as AddressInfo;
      const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
      resolve(`http://${name}:${bound.port}`);
    });
  });
}

/** Returns the first free port of a few, counted up from `first`; undefined if all are taken. */
export async function freePortFrom(first: number, host: string): Promise<number | undefined> {
  for (let port = first; port < Math.min(first + PORTS_TRIED, 65_536); port += 1) {
    if (await isFree(port, host)) return port;
  }
  return undefined;
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host }, () => probe.close(() => resolve(true)));
  });
}

/**
 * Returns the process that listens on a port, such as `node (process 4711)`, without its arguments, which may
 * hold a secret. Returns undefined on systems other than Linux and for other users' processes.
 */
export function ownerOf(port: number): string | undefined {
  try {
    const sockets = new Set(["tcp", "tcp6"].flatMap((table) => listenersIn(`/proc/net/${table}`, port)));
    const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && holdsAny(name, sockets));
    if (pid === undefined) return undefined;
    const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return `${path.basename(program)} (process ${pid})`;
  } catch {
    return undefined;
  }
}

/** Returns the names of the sockets that listen on a port, from a table of Linux. */
function listenersIn(table: string, port: number): string[] {
  const LISTENING = "0A";
  const rows = readFileSync(table, "utf8").trim().split("\n").slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(
      ([, local = "", , state]) =>
        state === LISTENING && Number.parseInt(local.split(":")[1] ?? "", 16) === port,
    )
    .map((columns) => `socket:[${columns[9]}]`);
}

function holdsAny(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((file) => sockets.has(readlinkSync(`${folder}/${file}`)));
  } catch {
    // The process belongs to another user or has just ended.
    return false;
  }
}
