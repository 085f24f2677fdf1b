import { outboxOver, VirtualScheduler } from "@paceline/testkit";
import { WebSocketLink, type WebSocketLike } from "@paceline/transport";
import { describe, expect, test } from "vitest";

/** A socket whose bytes leave when the test says so. */
class HandSocket implements WebSocketLike {
  binaryType = "";
  readonly readyState = 1;
  readonly written: number[] = [];
  readonly #waiting: { readonly bytes: number; readonly done: (() => void) | undefined }[] = [];
  /** Bytes that did not come from the link: pongs. */
  otherBytes = 0;

  get bufferedAmount(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, this.otherBytes);
  }

  addEventListener(_type: string, _listener: (event: never) => void): void {}

  send(data: Uint8Array, done?: () => void): void {
    this.written.push(data[0]!);
    this.#waiting.push({ bytes: data.length, done });
  }

  /** The system takes the oldest one. */
  flushOne(): void {
    this.#waiting.shift()?.done?.();
  }

  close(_code?: number, _reason?: string): void {}
}

function scene(tellsWhenSent: boolean) {
  const scheduler = new VirtualScheduler();
  const socket = new HandSocket();
  const link = new WebSocketLink(socket, { scheduler, tellsWhenSent, highWaterBytes: 1000 });
  const outbox = outboxOver(link, scheduler);
  link.start({
    onOpen: () => undefined,
    onPacket: () => undefined,
    onClose: () => undefined,
    onRoom: () => outbox.hasRoomAgain(),
  });
  scheduler.advance(1);
  const send = (mark: number): void => outbox.forward("command", new Uint8Array(600).fill(mark));
  return { scheduler, socket, link, outbox, send };
}

describe("what waits for a busy socket", () => {
  test("goes on in the moment in which one that tells has room", () => {
    const { socket, send, link, outbox } = scene(true);
    for (const mark of [1, 2, 3, 4, 5]) send(mark);
    expect(socket.written).toEqual([1, 2]);
    socket.flushOne();
    expect(socket.written).toEqual([1, 2, 3]);
    socket.flushOne();
    socket.flushOne();
    socket.flushOne();
    expect(socket.written).toEqual([1, 2, 3, 4, 5]);
    expect([outbox.queuedBytes, link.queuedBytes]).toEqual([0, 600]);
  });

  test("goes on within milliseconds where the socket has to be asked", () => {
    const { socket, send, scheduler } = scene(false);
    for (const mark of [1, 2, 3]) send(mark);
    socket.flushOne();
    expect(socket.written).toEqual([1, 2]);
    scheduler.advance(10);
    expect(socket.written).toEqual([1, 2, 3]);
  });

  test("is not forgotten where the socket was full of what others wrote", () => {
    const { socket, send, scheduler } = scene(true);
    socket.otherBytes = 5000;
    send(1);
    socket.otherBytes = 0;
    scheduler.advance(300);
    expect(socket.written).toEqual([1]);
  });

  test("is dropped and counted when the link closes, and nothing is written after it", () => {
    const { socket, send, link, outbox } = scene(true);
    for (const mark of [1, 2, 3, 4]) send(mark);
    link.close(4000, "enough");
    socket.flushOne();
    socket.flushOne();
    expect(socket.written).toEqual([1, 2]);
    expect(outbox.counters.packetsDropped).toBe(2);
  });
});
