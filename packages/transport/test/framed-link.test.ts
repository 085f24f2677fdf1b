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

test("packets for a socket that closes are not sent, and its link ends with the code of the other side", () => {
  const scheduler = new VirtualScheduler();
  const sent: number[] = [];
  const listeners = new Map<string, (event: object) => void>();
  const socket = {
    readyState: OPEN,
    bufferedAmount: 0,
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    send: (packet: Uint8Array) => sent.push(packet[0]!),
    close: () => undefined,
  };
  const link = new FramedLink(socket as unknown as FramedSocket, { scheduler, highWaterBytes: 4096 });
  const codes: number[] = [];
  link.start({
    onOpen: () => undefined,
    onPacket: () => undefined,
    onClose: ({ code }) => codes.push(code),
  });
  scheduler.advance(1);
  link.send("command", Uint8Array.of(1));
  socket.readyState = CLOSING;
  link.send("command", Uint8Array.of(2));
  scheduler.advance(1000);
  expect([sent, codes]).toEqual([[1], []]);
  expect(link.counters).toMatchObject({ packetsSent: 1, packetsDropped: 1 });
  listeners.get("close")!({ code: 4100, reason: "enough" });
  expect(codes).toEqual([4100]);
});

test("packets that wait in a paused link are reported as late when it closes", () => {
  const scheduler = new VirtualScheduler();
  const socket = {
    readyState: OPEN,
    bufferedAmount: 0,
    onMessage: undefined as unknown as (packet: Uint8Array) => void,
    addEventListener: () => undefined,
    setReading: () => undefined,
    close: () => undefined,
  };
  const link = new FramedLink(socket as unknown as FramedSocket, { scheduler, highWaterBytes: 4096 });
  const late: Uint8Array[] = [];
  const packets: Uint8Array[] = [];
  link.guard = {
    admits: () => true,
    sending: () => undefined,
    closing: () => undefined,
    failed: () => undefined,
    late: (packet) => late.push(packet),
  };
  link.start({
    onOpen: () => undefined,
    onPacket: (packet) => packets.push(packet),
    onClose: () => undefined,
  });
  scheduler.advance(1);
  socket.onMessage(Uint8Array.of(1));
  link.pauseReading();
  socket.onMessage(Uint8Array.of(2));
  socket.onMessage(Uint8Array.of(3));
  link.close(4000, "enough");
  expect(packets.map(([byte]) => byte)).toEqual([1]);
  expect(late.map(([byte]) => byte)).toEqual([2, 3]);
});
