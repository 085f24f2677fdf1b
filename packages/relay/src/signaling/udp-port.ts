import { createSocket } from "node:dgram";
import { randomInt } from "node:crypto";

const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const ATTEMPTS = 20;
/**
 * Longest wait for a port. A relay that has just ended frees its port a little later, on a busy machine after
 * seconds.
 */
const MAX_PORT_WAIT_MS = 5000;
const PAUSE_MS = 100;

/**
 * Returns the port if it can be bound, or any free one for 0; undefined if it is taken. The WebRTC library
 * does not report that.
 */
export async function freeUdpPort(port: number, address: string | undefined): Promise<number | undefined> {
  if (port !== 0) return (await canBindSoon(port, address)) ? port : undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const candidate = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await canBind(candidate, address)) return candidate;
  }
  return undefined;
}

async function canBindSoon(port: number, address: string | undefined): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < MAX_PORT_WAIT_MS; waitedMs += PAUSE_MS) {
    if (await canBind(port, address)) return true;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
  }
  return false;
}

function canBind(port: number, address: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address?.includes(":") ? "udp6" : "udp4");
    socket.once("error", () => {
      socket.close();
      resolve(false);
    });
    socket.bind(port, address, () => socket.close(() => resolve(true)));
  });
}
