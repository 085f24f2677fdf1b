import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface LineOptions {
  readonly from: number;
  readonly to: number;
  /** One way, ms; each piece of a stream takes this plus or minus the jitter, and none overtakes another. */
  readonly delayMs: number;
  readonly jitterMs: number;
}

/** Opens a port whose connections go to another port of this machine, late. Returns what closes it. */
export async function openSlowLine({ from, to, delayMs, jitterMs }: LineOptions): Promise<() => void> {
  const sockets = new Set<Socket>();
  const carry = (source: Socket, target: Socket): void => {
    sockets.add(source);
    const waiting: { readonly dueMs: number; readonly bytes: Buffer }[] = [];
    let lastDueMs = 0;
    // One timer at a time: two timers that end in the same millisecond may fire in either order.
    const pass = (): void => {
      while (waiting[0] && waiting[0].dueMs <= performance.now()) target.write(waiting.shift()!.bytes);
      if (waiting[0]) setTimeout(pass, waiting[0].dueMs - performance.now());
    };
    source.on("data", (bytes) => {
      lastDueMs = Math.max(lastDueMs, performance.now() + delayMs + (Math.random() * 2 - 1) * jitterMs);
      waiting.push({ dueMs: lastDueMs, bytes });
      if (waiting.length === 1) setTimeout(pass, lastDueMs - performance.now());
    });
    source.on("close", () => target.destroy());
    source.on("error", () => target.destroy());
  };
  const line = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: to, host: "127.0.0.1", noDelay: true });
    carry(client, server);
    carry(server, client);
  });
  line.listen(from, "127.0.0.1");
  await once(line, "listening");
  return () => {
    line.close();
    for (const socket of sockets) socket.destroy();
  };
}
