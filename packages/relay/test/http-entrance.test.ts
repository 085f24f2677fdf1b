import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { hostileRequests, rawAnswer, statusOf } from "../../cli/test/hostile-requests.js";
import { createRelay, silentLog, type HttpHandlers, type Relay } from "../src/index.js";

let relay: Relay;
let server: Server;
afterEach(async () => {
  await relay.stop({ drainMs: 0 });
  server.close();
  server.closeAllConnections();
});

async function serving(handlers?: HttpHandlers): Promise<number> {
  relay = createRelay({ log: silentLog, rooms: { race: {} } });
  server = createServer();
  relay.serve(server, handlers);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const get = (port: number, path: string, ...more: readonly string[]): Promise<string> =>
  rawAnswer(port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more]);

describe("a relay that serves an HTTP server", () => {
  it.each(hostileRequests)("refuses and counts, and the next request is answered: $what", async (request) => {
    const port = await serving();
    const status = statusOf(await rawAnswer(port, request.lines(`127.0.0.1:${port}`)));
    // Node itself refuses what its parser cannot read.
    expect(status).toBe(request.status);
    const { badRequest = 0, pageRefused = 0 } = relay.counts.linkCloses;
    const isNodes = request.what === "no Host";
    expect(badRequest).toBe(status === 400 && !isNodes ? 1 : 0);
    expect(pageRefused).toBe(status === 403 || status === 421 ? 1 : 0);
    expect(statusOf(await get(port, "/health"))).toBe(200);
  });

  it.each<[string, HttpHandlers]>([
    [
      "answer throws",
      {
        answer: () => {
          throw new Error("broken");
        },
      },
    ],
    ["answer rejects", { answer: () => Promise.reject(new Error("broken")) }],
    [
      "open throws",
      {
        open: () => {
          throw new Error("broken");
        },
      },
    ],
    [
      "answer rejects after its head",
      {
        answer: (_request, response) => {
          response.writeHead(200).write("a part");
          return Promise.reject(new Error("broken"));
        },
      },
    ],
  ])("counts a fault if %s, and ends only that request", async (what, handlers) => {
    const port = await serving(handlers);
    for (let count = 1; count <= 2; count += 1) {
      const answer = await get(port, "/page");
      expect(statusOf(answer)).toBe(what.endsWith("head") ? 200 : 500);
      expect(relay.counts.faults.request).toBe(count);
    }
  });

  it("answers health checks without a Host or under any name, but not with two", async () => {
    const port = await serving();
    expect(statusOf(await rawAnswer(port, ["GET /health HTTP/1.0"]))).toBe(200);
    expect(statusOf(await rawAnswer(port, ["GET /health HTTP/1.1", "Host: backend"]))).toBe(200);
    expect(statusOf(await get(port, "/health", "Host: backend"))).toBe(400);
  });

  it("has 404 for paths that are not its own", async () => {
    const port = await serving();
    expect(statusOf(await get(port, "/page"))).toBe(404);
  });
});
