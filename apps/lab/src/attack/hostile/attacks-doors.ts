import { Agent, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { sleep, type Hostile } from "./hostile.js";

function tcp(hostile: Hostile, sockets: Set<Socket>): Socket {
  const { hostname, port } = new URL(hostile.order.url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.add(socket);
  hostile.measure(socket);
  socket.on("error", () => undefined);
  socket.on("close", () => sockets.delete(socket));
  return socket;
}

function opened(hostile: Hostile): Set<Socket> {
  const sockets = new Set<Socket>();
  hostile.onEnd(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

/** Opens many connections that send nothing or half a request, and ends all of them at once. */
export async function halfOpen(hostile: Hostile): Promise<void> {
  const sockets = opened(hostile);
  await hostile.paced(400, () => {
    if (sockets.size >= hostile.order.count) return;
    const socket = tcp(hostile, sockets);
    const start = ["", "GET", "GET /link HTTP/1.1\r\nHost: x\r\n", "\u0000\u0001\u0002\r\n\r\n"];
    socket.write(start[hostile.random.int(0, start.length - 1)]!);
    socket.resume();
    hostile.count("connections");
  });
}

/** Sends headers one line at a time, and bodies one byte at a time. */
export async function slowHeaders(hostile: Hostile): Promise<void> {
  const sockets = opened(hostile);
  for (let n = 0; n < hostile.order.count; n++) {
    const socket = tcp(hostile, sockets);
    const isBody = n % 2 === 0;
    socket.write(
      isBody
        ? "POST /match/joinOrCreate/crowd HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"
        : "GET /link HTTP/1.1\r\nHost: x\r\n",
    );
    socket.resume();
    hostile.count("connections");
    const drip = setInterval(() => socket.write(isBody ? " " : "X-A: b\r\n"), 400);
    socket.on("close", () => clearInterval(drip));
  }
  while (!hostile.isOver()) await sleep(50);
  // The server allows a request ten seconds, and checks every two.
  if (hostile.order.seconds > 14 && sockets.size > 0)
    hostile.fail(`${sockets.size} of ${hostile.order.count} slow requests were never cut`);
}

/** Joins and leaves as fast as the limits allow: politely, by cutting the socket, and before the welcome. */
export async function churn(hostile: Hostile): Promise<void> {
  const lanes = Array.from({ length: 12 }, async () => {
    while (!hostile.isOver()) {
      const target = hostile.random.bool(0.7) ? "crowd" : "arena";
      const method = hostile.random.bool(0.2) ? "create" : "joinOrCreate";
      if (hostile.random.bool(0.3)) {
        const socket = hostile.socketNow(hostile.protocols(hostile.credential(target, method)));
        await sleep(hostile.random.int(0, 10));
        hostile.end(socket);
      } else {
        const participant = await hostile.session(target, method);
        if (participant && hostile.random.bool(0.5)) participant.session.close(4000, "");
        else if (participant) hostile.end(participant.socket);
      }
      hostile.count("joins");
      await sleep(hostile.random.int(20, 120));
    }
  });
  await Promise.all(lanes);
}

const ONE_ADDRESS = "203.0.113.7";

/** Takes every seat that one address can get, and keeps it. */
export async function seats(hostile: Hostile): Promise<void> {
  let held = 0;
  await hostile.paced(60, () => {
    const method = hostile.random.bool(0.5) ? "create" : "joinOrCreate";
    void hostile
      .session(hostile.random.bool(0.8) ? "crowd" : "arena", method, ONE_ADDRESS)
      .then((participant) => participant && (held += 1));
    hostile.count("attempts");
  });
  hostile.count("seats", held);
  if (held >= hostile.order.count) hostile.fail(`one address holds ${held} seats of ${hostile.order.count}`);
}

/** Requests `/health` without a pause, over 16 connections. */
export async function healthHammer(hostile: Hostile): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  hostile.onEnd(() => agent.destroy());
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (!hostile.isOver()) {
        await get(`${hostile.order.url}/health`, agent, { "X-Forwarded-For": ONE_ADDRESS });
        hostile.count("requests");
      }
    }),
  );
}

/** Resolves with the status, or 0 if there is no answer. */
function get(url: string, agent: Agent, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { agent, headers, timeout: 3000 });
    request.on("response", (response) => {
      response.resume();
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(0));
    request.end();
  });
}

/** Guesses the admin's token, while requests with the right token must succeed. */
export async function adminTokens(hostile: Hostile): Promise<void> {
  const { adminUrl, adminToken } = hostile.order;
  const guessing = new Agent({ keepAlive: true, maxSockets: 64 });
  const agent = new Agent({ keepAlive: true });
  hostile.onEnd(() => [guessing, agent].forEach((each) => each.destroy()));
  const admin = (async () => {
    while (!hostile.isOver()) {
      const status = await get(`${adminUrl}/api/state`, agent, { Authorization: `Bearer ${adminToken}` });
      hostile.count("right tokens");
      if (status !== 200) hostile.fail(`the right token was answered with ${status}`);
      await sleep(100);
    }
  })();
  await hostile.paced(60, () => {
    hostile.count("guesses");
    // Does not wait for the answers: wrong guesses may be answered late.
    void get(`${adminUrl}/api/state`, guessing, {
      Authorization: `Bearer ${hostile.random.int(0, 2 ** 31)}`,
    });
  });
  await admin;
}

/** Opens more sockets than the server has descriptors, repeatedly. */
export async function descriptors(hostile: Hostile): Promise<void> {
  const sockets = opened(hostile);
  while (!hostile.isOver()) {
    for (let n = 0; n < hostile.order.count; n++) {
      tcp(hostile, sockets).resume();
      hostile.count("connections");
    }
    await sleep(700);
    for (const socket of sockets) socket.destroy();
    await sleep(300);
  }
}
