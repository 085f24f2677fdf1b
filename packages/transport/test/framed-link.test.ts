import { expect, test } from "vitest";
import { VirtualScheduler } from "@paceline/testkit";
import { FramedLink } from "../src/node/framed-link.js";
import type { FramedSocket } from "../src/node/framed-socket.js";

const [OPEN, CLOSING] = [1, 2];

test("frames for a socket that closes are dropped, and do not count as sent", () => {
  const scheduler = new VirtualScheduler();
  let writes = 0;
  const socket = {
    readyState: OPEN,
    bufferedAmount: 0,
    addEventListener: () => undefined,
    sendFrames: () => (writes += 1),
  };
  const link = new FramedLink(socket as unknown as FramedSocket, { scheduler, highWaterBytes: 4096 });
  link.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
  scheduler.advance(1);
  expect(link.sendFrames(new Uint8Array(20), 2, 16)).toBe(true);
  socket.readyState = CLOSING;
  expect(link.sendFrames(new Uint8Array(30), 3, 24)).toBe(false);
  expect(writes).toBe(1);
  expect(link.counters).toMatchObject({ packetsSent: 2, bytesSent: 16, packetsDropped: 3 });
});
