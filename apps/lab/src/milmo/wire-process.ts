/**
 * The paper's reference over real sockets: run in a network namespace of its own, it counts what its loopback device
 * carries. Arguments: users, seconds. Prints the bytes a second.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { MESSAGES_PER_SECOND, MESSAGE_BYTES } from "./milmo-model.js";

const WARM_UP_MS = 2000;

/** Returns the bytes that the loopback device has carried, headers of Ethernet included. */
function carriedBytes(): number {
  const line = readFileSync("/proc/net/dev", "utf8")
    .split("\n")
    .find((each) => each.trim().startsWith("lo:"));
  return Number(line?.trim().split(/\s+/)[1]);
}

/** The paper's clients had no timestamps, which take 12 bytes in each header. */
function leaveOutTimestamps(): void {
  writeFileSync("/proc/sys/net/ipv4/tcp_timestamps", "0");
}

/** Relays each message to all others, one write for each, as the paper's server does. */
function relay(sockets: Set<Socket>): ReturnType<typeof createServer> {
  return createServer((socket) => {
    sockets.add(socket);
    socket.on("data", (data) => {
      for (let at = 0; at + MESSAGE_BYTES <= data.length; at += MESSAGE_BYTES)
        for (const other of sockets) if (other !== socket) other.write(data.subarray(at, at + MESSAGE_BYTES));
    });
  });
}

async function run(users: number, seconds: number): Promise<void> {
  leaveOutTimestamps();
  const sockets = new Set<Socket>();
  const server = relay(sockets);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const message = Buffer.alloc(MESSAGE_BYTES, 7);
  for (let user = 0; user < users; user++) {
    const client = connect(address.port, "127.0.0.1").resume();
    setTimeout(
      () => setInterval(() => client.write(message), 1000 / MESSAGES_PER_SECOND),
      (user * 1000) / MESSAGES_PER_SECOND / users,
    );
  }
  await pause(WARM_UP_MS);
  const before = carriedBytes();
  const startedMs = performance.now();
  await pause(seconds * 1000);
  process.stdout.write(`${((carriedBytes() - before) * 1000) / (performance.now() - startedMs)}\n`);
  process.exit();
}

await run(Number(process.argv[2]), Number(process.argv[3]));
