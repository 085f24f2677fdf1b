import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { freeUdpPort } from "./free-udp-port.js";

test("a free UDP port is none that is taken, and can be bound", async () => {
  const free = await freeUdpPort();
  const taken = createSocket("udp4").bind(0, "127.0.0.1");
  await once(taken, "listening");
  const proposals = [taken.address().port, taken.address().port, free];
  expect(await freeUdpPort(() => proposals.shift()!)).toBe(free);
  expect(proposals).toEqual([]);
  const socket = createSocket("udp4").bind(free, "127.0.0.1");
  await once(socket, "listening");
  socket.close();
  taken.close();
});
