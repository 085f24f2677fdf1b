import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { freeUdpPort } from "../src/signaling/udp-port.js";

test("the relay waits for a UDP port that another one is about to free", async () => {
  const before = createSocket("udp4");
  before.bind(0, "127.0.0.1");
  await once(before, "listening");
  const { port } = before.address();
  const isFree = freeUdpPort(port, "127.0.0.1");
  setTimeout(() => before.close(), 250);
  expect(await isFree).toBe(port);
});
