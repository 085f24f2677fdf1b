import { SocketBacklog, WebSocketLink, type WebSocketLike } from "@paceline/transport";
import { VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";

/** A browser's socket for sending. It logs an error for each packet after its end. */
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

/** A socket whose events the test sends. */
class SpeakingSocket implements WebSocketLike {
  binaryType = "blob";
  readyState = 1;
  readonly bufferedAmount = 0;
  readonly #listeners: [string, (event: never) => void][] = [];

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.push([type, listener]);
  }
  send(): void {}
  close(): void {}

  listenersOf(type: string): number {
    return this.#listeners.filter(([name]) => name === type).length;
  }

  tell(type: string, event: object): void {
    for (const [name, listener] of this.#listeners) if (name === type) listener(event as never);
  }
}

test("sends nothing to a socket that the other side has closed, before its close event", () => {
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

test("of a socket that is closing already, ends with the code of the other side and not before it comes", () => {
  const scheduler = new VirtualScheduler();
  const socket = new SpeakingSocket();
  socket.readyState = 2;
  const heard: unknown[] = [];
  const link = new WebSocketLink(socket, { scheduler });
  link.start({
    onOpen: () => heard.push("open"),
    onPacket: () => undefined,
    onClose: ({ code, reason }) => heard.push(`${code} ${reason}`),
  });
  scheduler.advance(1000);
  expect(heard).toEqual([]);
  socket.tell("close", { code: 4106, reason: "match/full the room is full" });
  scheduler.advance(1000);
  expect(heard).toEqual(["4106 match/full the room is full"]);
});

test("begins with the earlier packets of its socket, in order, and with the reason of its close", () => {
  const scheduler = new VirtualScheduler();
  const heard: unknown[] = [];
  const handlers = {
    onOpen: () => heard.push("open"),
    onPacket: (packet: Uint8Array) => heard.push(packet[0]),
    onClose: ({ code, reason }: { code: number; reason: string }) => heard.push(`${code} ${reason}`),
  };
  const socket = new SpeakingSocket();
  const backlog = new SocketBacklog(socket);
  socket.tell("message", { data: Uint8Array.of(1).buffer });
  socket.tell("message", { data: "text is no packet" });
  socket.tell("message", { data: Uint8Array.of(2).buffer });
  new WebSocketLink(socket, { scheduler, backlog }).start(handlers);
  // A third packet arrives before the link reports that it is open.
  socket.tell("message", { data: Uint8Array.of(3).buffer });
  scheduler.advance(10);
  socket.tell("message", { data: Uint8Array.of(4).buffer });
  expect([socket.binaryType, ...heard]).toEqual(["arraybuffer", "open", 1, 2, 3, 4]);
  // A browser dispatches each packet to every listener.
  expect(socket.listenersOf("message")).toBe(1);

  const ended = new SpeakingSocket();
  const words = new SocketBacklog(ended);
  ended.readyState = 3;
  ended.tell("close", { code: 4106, reason: "match/full the room is full" });
  heard.length = 0;
  new WebSocketLink(ended, { scheduler, backlog: words }).start(handlers);
  scheduler.advance(10);
  expect(heard).toEqual(["4106 match/full the room is full"]);
});
