import { Duplex } from "node:stream";
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { MemoryLink, type Pipe } from "@paceline/testkit";
import type { Link } from "@paceline/transport";
import { WebSocketListener } from "@paceline/transport/node";
import { expect, test } from "vitest";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { Player } from "./player.js";
import { Opcode, RawWebSocket } from "./raw-web-socket.js";
import { VirtualRegistry } from "./virtual-registry.js";

const MAX_PACKET_BYTES = 65_536;
/** The longest payload whose length is in the second byte of a frame, bytes. */
const MAX_SHORT_BYTES = 125;

/** The server's end of a connection whose other side stays open, as that of a page that is busy when it closes. */
class OpenConnection extends Duplex {
  onFrame: ((payload: Uint8Array) => void) | undefined;

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    // The answer to the upgrade is text.
    if (bytes[0] === (0x80 | Opcode.binary)) {
      const isShort = bytes[1]! <= MAX_SHORT_BYTES;
      this.onFrame?.(bytes.subarray(isShort ? 2 : 4));
    }
    done();
  }
}

/** Upgrades a connection as the server does, and returns the server's link and the player's. */
function openLink(virtual: VirtualRegistry): { server: Link; player: Link; connection: OpenConnection } {
  const { scheduler } = virtual;
  const connection = new OpenConnection();
  const listener = new WebSocketListener({
    maxPacketBytes: MAX_PACKET_BYTES,
    scheduler,
    highWaterBytes: MAX_PACKET_BYTES,
  });
  const headers = {
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": WEBSOCKET_PROTOCOL,
  };
  let server: Link | undefined;
  listener.accept({ method: "GET", headers } as unknown as IncomingMessage, connection, Buffer.alloc(0), {
    onLink: ({ link }) => void (server = link),
    onStray: () => true,
  });
  const upward: Pipe = {
    queuedBytes: 0,
    send: (packet) => void connection.push(RawWebSocket.frameOf(Opcode.binary, packet)),
  };
  const player = new MemoryLink({ scheduler, reliable: upward, unreliable: upward });
  connection.onFrame = (payload) => {
    const packet = payload.slice();
    scheduler.after(1, () => player.received(packet));
  };
  return { server: server!, player, connection };
}

test("a player who closes a socket and comes back over the next one was away, however long the first takes to end", async () => {
  const virtual = new VirtualRegistry();
  const { player: b } = virtual.join();
  const a = new Player(virtual.scheduler);
  const { server, player, connection } = openLink(virtual);
  virtual.registry.admit(new AdmittedLink(server), virtual.seat().ticket);
  a.attach(player);
  const turns = async (ms: number): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    virtual.scheduler.advance(ms);
  };
  await turns(100);
  await turns(100);
  const code = Buffer.alloc(2);
  code.writeUInt16BE(CloseCode.timeout);
  player.close(CloseCode.timeout, "silent");
  connection.push(RawWebSocket.frameOf(Opcode.close, code));
  await turns(0);
  virtual.resume(a);
  expect(connection.destroyed).toBe(false);
  expect([b.of("away"), b.of("back")]).toMatchObject([[{ number: a.number }], [{ number: a.number }]]);
  expect([a.of("resumed").length, b.of("left").length]).toEqual([1, 0]);
});
