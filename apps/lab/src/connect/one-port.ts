import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { quantile } from "../codec/spread.js";
import { ServerProcess, SwarmProcess } from "./bench-process.js";
import { ECHO_BYTES } from "./echo-bytes.js";

/** Many WebRTC clients of one server that has a single UDP port. */
export interface OnePortRow {
  readonly system: "paceline-webrtc, one port";
  readonly clients: number;
  readonly connected: number;
  readonly failures: number;
  /**
   * UDP sockets of the server's process while all clients are connected; absent if `/proc` cannot be read.
   */
  readonly udpSockets?: number;
  readonly echoBytes: number;
  readonly sent: number;
  readonly lost: number;
  readonly wrong: number;
  readonly repeated: number;
  readonly echoMsP50: number;
  readonly echoMsP99: number;
}

export async function onePortRow(clients: number, hz: number, echoMs: number): Promise<OnePortRow> {
  const system = "paceline-webrtc";
  const server = await ServerProcess.start({ system });
  const swarm = await SwarmProcess.start();
  try {
    const { connectMs, failures } = await swarm.tell({ do: "connect", system, url: server.url, clients });
    const echo = await swarm.tell({ do: "echo", hz, durationMs: echoMs });
    const udpSockets = udpSocketsOf(server.pid);
    return {
      system: "paceline-webrtc, one port",
      clients,
      connected: connectMs.length,
      failures,
      ...(udpSockets !== undefined && { udpSockets }),
      echoBytes: ECHO_BYTES,
      sent: echo.sent,
      lost: echo.sent - echo.received,
      wrong: echo.wrong,
      repeated: echo.repeated,
      echoMsP50: quantile(echo.latencyMs, 0.5),
      echoMsP99: quantile(echo.latencyMs, 0.99),
    };
  } finally {
    await Promise.all([swarm.end(), server.end()]);
  }
}

/** Counts the UDP sockets of a process by Linux's `/proc`; undefined if it cannot be read. */
function udpSocketsOf(pid: number): number | undefined {
  try {
    const folder = `/proc/${pid}/fd`;
    const held = new Set(
      readdirSync(folder).map((file) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${file}`))?.[1]),
    );
    const inodes = ["udp", "udp6"].flatMap((kind) =>
      udpInodes(readFileSync(`/proc/${pid}/net/${kind}`, "utf8")),
    );
    return inodes.filter((inode) => held.has(inode)).length;
  } catch {
    return undefined;
  }
}

/** Returns the tenth column of `/proc/net/udp`: the inodes of the sockets. */
export function udpInodes(table: string): string[] {
  return table
    .trim()
    .split("\n")
    .slice(1)
    .flatMap((line) => line.trim().split(/\s+/)[9] ?? []);
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // The descriptor was closed after the folder was read.
    return "";
  }
}
