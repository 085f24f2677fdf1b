import { WebSocketLink, type WebSocketLike } from "@paceline/transport";
import { VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";

/** A browser's socket, as far as sending goes: it complains on the console of what it is given after its end. */
class BrowserSocket implements WebSocketLike {
  binaryType = "blob";
  readyState = 1;
  readonly bufferedAmount = 0;
  readonly sent: number[] = [];
  complaints = 0;

  addEventListener(): void {}
  close(): void {}

  send(packet: Uint8Array): void {
    if (this.readyState === 1) this.sent.push(packet[0]!);
    else this.complaints += 1;
  }
}

test("gives nothing to a socket that the other side has closed, while its close event is on the way", () => {
  const scheduler = new VirtualScheduler();
  const socket = new BrowserSocket();
  const link = new WebSocketLink(socket, { scheduler });
  link.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
  scheduler.advance(1);
  link.send("command", Uint8Array.of(1));
  socket.readyState = 2;
  link.send("command", Uint8Array.of(2));
  scheduler.advance(1000);
  expect([socket.sent, socket.complaints]).toEqual([[1], 0]);
});
