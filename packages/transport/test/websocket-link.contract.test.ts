import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { linkContract, type LinkPair } from "@paceline/testkit";
import { systemScheduler, WebSocketLink } from "@paceline/transport";
import { NodeWebSocket, WebSocketListener } from "@paceline/transport/node";
import { describe, expect, test } from "vitest";

/** A real socket over loopback, opened on both sides. */
async function socketPair(): Promise<LinkPair> {
  const listener = new WebSocketListener({ maxPacketBytes: 17_000 });
  const server = createServer();
  const accepted = new Promise<WebSocketLink>((resolve) => {
    server.on("upgrade", (request, socket, head: Buffer) => {
      listener.accept(request, socket, head, ({ link }) => resolve(link));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = new NodeWebSocket(`ws://127.0.0.1:${port}/`, [WEBSOCKET_PROTOCOL]);
  const a = new WebSocketLink(socket, { scheduler: systemScheduler });
  const b = await accepted;
  return {
    a,
    b,
    pass: async (ms) => {
      await sleep(ms);
    },
    async dispose() {
      a.close(4000, "test over");
      b.close(4000, "test over");
      listener.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a WebSocket link", () => {
  const cases = linkContract.filter(({ needs }) => needs !== "congest");
  test.each(cases.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    const pair = await socketPair();
    try {
      await expect(rule.run(pair)).resolves.toBeUndefined();
    } finally {
      await pair.dispose();
    }
  });
});
