import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { createRelay } from "../src/index.js";
import { eventually } from "./real-relay.js";

const relay = createRelay({ rooms: { race: {} } });
const server = createServer({ headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50 });
server.on("request", (request, response) => relay.handleRequest(request, response));
server.on("clientError", (error, socket) => relay.handleClientError(error, socket));

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await relay.stop({ drainMs: 10 });
});

it("connections without a request in time, or with malformed ones, are ended and counted", async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const said = ["", "GET /link HTTP/1.1\r\nHost: here\r\n", "\0\0 what is this\r\n\r\n"];
  const answers = said.map(async (text) => {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    let answer = "";
    socket.on("data", (more: string) => (answer += more)).on("error", () => undefined);
    await once(socket, "connect");
    if (text !== "") socket.write(text);
    await once(socket, "close");
    return answer.split("\r\n", 1)[0];
  });
  expect(await Promise.all(answers)).toEqual([
    "HTTP/1.1 408 Request Timeout",
    "HTTP/1.1 408 Request Timeout",
    "HTTP/1.1 400 Bad Request",
  ]);
  expect(relay.counts.linkCloses).toEqual({ requestTimeout: 2, badRequest: 1 });
  await eventually(() => expect(relay.health().connections).toBe(0));
});

it("thousands of late connections are ended a few at a time, so that others do not wait", async () => {
  let endedThisRound = 0;
  let [rounds, most, ended] = [0, 0, 0];
  const sockets = Array.from({ length: 5000 }, () => {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    socket.once("close", () => (endedThisRound += 1));
    return socket;
  });
  const late = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  // Node reports all late connections in one round of the event loop.
  for (const socket of sockets) relay.handleClientError(late, socket);
  while (ended < sockets.length) {
    await new Promise((resolve) => setImmediate(resolve));
    rounds += 1;
    most = Math.max(most, endedThisRound);
    ended += endedThisRound;
    endedThisRound = 0;
  }
  expect(most).toBeLessThanOrEqual(100);
  expect(rounds).toBeGreaterThanOrEqual(50);
  expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
});
