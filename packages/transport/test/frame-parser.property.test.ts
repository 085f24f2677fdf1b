import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { systemScheduler, type LinkClose } from "@paceline/transport";
import { WebSocketListener } from "@paceline/transport/node";
import { array, assert, asyncProperty, constantFrom, nat, oneof, tuple, uint8Array } from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const MAX_BYTES = 2000;
const BINARY = 2;
const TEXT = 1;
const CONTINUATION = 0;
const PING = 9;

interface Connection {
  readonly socket: Socket;
  /** The server's end of the socket. */
  readonly stream: Duplex;
  readonly packets: Uint8Array[];
  readonly closed: Promise<LinkClose>;
}

let server: Server;
let nextLink: (connection: Omit<Connection, "socket">) => void;

beforeAll(async () => {
  const listener = new WebSocketListener({
    maxPacketBytes: MAX_BYTES,
    scheduler: systemScheduler,
    highWaterBytes: 4096,
  });
  server = createServer().on("upgrade", (request, stream, head: Buffer) => {
    listener.accept(request, stream, head, {
      onLink({ link }) {
        const packets: Uint8Array[] = [];
        const closed = new Promise<LinkClose>((resolve) => {
          link.start({
            onOpen: () => undefined,
            onPacket: (packet) => void packets.push(packet.slice()),
            onClose: resolve,
          });
        });
        nextLink({ stream, packets, closed });
      },
      onStray: () => false,
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function opened(): Promise<Connection> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay(true);
  socket.on("error", () => undefined).resume();
  const linked = new Promise<Omit<Connection, "socket">>((resolve) => {
    nextLink = resolve;
  });
  const heads = ["GET / HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: websocket"];
  heads.push("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==");
  socket.write(`${heads.join("\r\n")}\r\nSec-WebSocket-Protocol: ${WEBSOCKET_PROTOCOL}\r\n\r\n`);
  return { socket, ...(await linked) };
}

function frame(opcode: number, payload: Uint8Array, isFinal = true, isMasked = true): Buffer {
  const mask = isMasked ? Uint8Array.of(1, 0x22, 0x83, 0xff) : new Uint8Array(0);
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  length[0]! |= isMasked ? 0x80 : 0;
  const body = payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0));
  return Buffer.from([(isFinal ? 0x80 : 0) | opcode, ...length, ...mask, ...body]);
}

const bytes = oneof(uint8Array({ maxLength: 20 }), uint8Array({ minLength: 120, maxLength: 400 }));
const whole = bytes.map((payload) => ({ frames: [frame(BINARY, payload)], packet: payload }));
const parts = tuple(bytes, bytes).map(([first, second]) => ({
  frames: [frame(BINARY, first, false), frame(PING, Uint8Array.of(7)), frame(CONTINUATION, second)],
  packet: Uint8Array.of(...first, ...second),
}));
const stray = bytes.chain((payload) =>
  constantFrom(TEXT, PING).map((opcode) => ({
    frames: [frame(opcode, payload.slice(0, 100).fill(65))],
    packet: undefined,
  })),
);
const messages = array(oneof({ weight: 3, arbitrary: whole }, parts, stray), {
  minLength: 1,
  maxLength: 12,
});
const cuts = array(nat(), { maxLength: 8 });

test("messages arrive whole and in their order, however their bytes are cut, among fragments, texts and pings", async () => {
  await assert(
    asyncProperty(messages, cuts, async (list, at) => {
      const { socket, packets, closed } = await opened();
      const stream = Buffer.concat(list.flatMap(({ frames }) => frames));
      const ends = [...at.map((cut) => cut % stream.length), stream.length].sort((a, b) => a - b);
      for (const [index, end] of ends.entries()) {
        socket.write(stream.subarray(ends[index - 1] ?? 0, end));
        for (let count = 0; count < 3; count++) await turn();
      }
      const last = frame(BINARY, Uint8Array.of(1, 2, 3));
      socket.write(Buffer.concat([last, frame(8, Uint8Array.of(0x03, 0xe8))]));
      await closed;
      expect(packets).toEqual([...list.flatMap(({ packet }) => packet ?? []), Uint8Array.of(1, 2, 3)]);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ["a message that is too long", frame(BINARY, new Uint8Array(MAX_BYTES + 1)), 1009],
  ["a frame without a mask", frame(BINARY, Uint8Array.of(1), true, false), 1006],
  ["a reserved opcode", frame(3, Uint8Array.of(1)), 1006],
])("after %s nothing is taken any more", async (_what, bad, code) => {
  const { socket, packets, closed } = await opened();
  const good = frame(BINARY, Uint8Array.of(5));
  socket.write(good);
  for (let count = 0; count < 5; count++) await turn();
  socket.write(Buffer.concat([bad, good]));
  for (let count = 0; count < 5; count++) await turn();
  socket.write(good);
  expect((await closed).code).toBe(code);
  expect(packets).toEqual([Uint8Array.of(5)]);
});

test("whole messages do not pass the socket's stream", async () => {
  const { socket, stream, packets } = await opened();
  let chunks = 0;
  stream.on("data", () => (chunks += 1));
  const message = frame(BINARY, Uint8Array.of(5));
  socket.write(message);
  await vi.waitFor(() => expect(packets).toHaveLength(1));
  expect(chunks).toBe(0);
  socket.write(frame(TEXT, Uint8Array.of(65)));
  await vi.waitFor(() => expect(chunks).toBe(1));
  socket.destroy();
});

test("a stream that is paused keeps its messages, in their order", async () => {
  const { socket, stream, packets } = await opened();
  stream.pause();
  const sent = [1, 2, 3].map((number) => Uint8Array.of(number));
  for (const packet of sent.slice(0, 2)) {
    socket.write(frame(BINARY, packet));
    for (let count = 0; count < 5; count++) await turn();
  }
  expect(packets).toEqual([]);
  stream.resume();
  socket.write(frame(BINARY, sent[2]!));
  await vi.waitFor(() => expect(packets).toEqual(sent));
  socket.destroy();
});
