import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
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

it("connections that ask for nothing in time, or for nonsense, are ended and counted", async () => {
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
