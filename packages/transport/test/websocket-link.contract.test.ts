import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { linkContract, type LinkPair } from "@paceline/testkit";
import { systemScheduler, WebSocketLink } from "@paceline/transport";
import { NodeWebSocket, WebSocketListener } from "@paceline/transport/node";
import { describe, expect, test } from "vitest";

/** A text. This number of them is more than kernels hold, and a link ignores texts. */
const FILLER = "x".repeat(16_000);
const FILLERS = 1000;

/** A real socket over loopback, opened on both sides. */
async function socketPair(): Promise<LinkPair> {
  const listener = new WebSocketListener({
    maxPacketBytes: 17_000,
    scheduler: systemScheduler,
    highWaterBytes: 4096,
  });
  const server = createServer();
  const accepted = new Promise<{ link: WebSocketLink; stream: Duplex }>((resolve) => {
    server.on("upgrade", (request, stream, head: Buffer) => {
      listener.accept(request, stream, head, {
        onLink: ({ link }) => resolve({ link, stream }),
        onStray: () => true,
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = new NodeWebSocket(`ws://127.0.0.1:${port}/`, [WEBSOCKET_PROTOCOL]);
  const a = new WebSocketLink(socket, { scheduler: systemScheduler });
  const { link: b, stream } = await accepted;
  return {
    a,
    b,
    pass: async (ms) => {
      await sleep(ms);
    },
    // The other side stops reading, and the kernels' buffers to it are full.
    congest(isSlow) {
      if (!isSlow) return void stream.resume();
      stream.pause();
      const texts = socket as unknown as { send(text: string): void };
      for (let count = 0; count < FILLERS; count++) texts.send(FILLER);
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
  test.each(linkContract.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    const pair = await socketPair();
    try {
      await expect(rule.run(pair)).resolves.toBeUndefined();
    } finally {
      await pair.dispose();
    }
  });
});
