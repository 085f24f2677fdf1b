import { createSocket } from "node:dgram";
import { once } from "node:events";
import { randomInt } from "node:crypto";

/** Below the ports that systems give to outgoing connections, so that none of those takes it before it is used. */
const FIRST_PORT = 10_000;
const LAST_PORT = 19_999;

const anyPort = (): number => randomInt(FIRST_PORT, LAST_PORT + 1);

/**
 * Resolves with a UDP port of the loopback interface that nothing has bound. Other processes of the tests use UDP too,
 * and the WebRTC library does not report a taken port: its links wait for their time limit. So each case asks for a port
 * of its own, and a second try gets another one. Servers that choose a port themselves choose a higher one.
 */
export async function freeUdpPort(propose = anyPort): Promise<number> {
  for (;;) {
    const port = propose();
    const socket = createSocket("udp4");
    const isFree = await new Promise<boolean>((resolve) => {
      socket.once("error", () => resolve(false));
      socket.bind(port, "127.0.0.1", () => resolve(true));
    });
    const closed = once(socket, "close");
    socket.close();
    await closed;
    if (isFree) return port;
  }
}
