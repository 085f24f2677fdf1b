import { memoryLinkPair, outboxOver, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, WebSocketLink, type WebSocketLike } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { FramedLink } from "../src/node/framed-link.js";

/** A socket whose bytes leave when the test calls `flushOne`. */
class HandSocket implements WebSocketLike {
  binaryType = "";
  readonly readyState = 1;
  readonly written: number[] = [];
  readonly #waiting: { readonly bytes: number; readonly done: (() => void) | undefined }[] = [];
  /** Waiting bytes that the link has not written, such as pongs of the socket. */
  otherBytes = 0;

  get bufferedAmount(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, this.otherBytes);
  }

  addEventListener(_type: string, _listener: (event: never) => void): void {}

  send(data: Uint8Array, done?: () => void): void {
    this.written.push(data[0]!);
    this.#waiting.push({ bytes: data.length, done });
  }

  /** The system takes the oldest packet. */
  flushOne(): void {
    this.#waiting.shift()?.done?.();
  }

  close(_code?: number, _reason?: string): void {}
}

/** A link of a browser, which does not report when it has sent a packet. */
class AskedLink extends WebSocketLink {
  protected override pathHasRoom(): boolean {
    return this.pathBytes() < 1000;
  }
}

function scene(tellsWhenSent: boolean) {
  const scheduler = new VirtualScheduler();
  const socket = new HandSocket();
  const kind = tellsWhenSent ? FramedLink : AskedLink;
  const link = new kind(socket as never, { scheduler, highWaterBytes: 1000 });
  const outbox = outboxOver(link, scheduler);
  link.start({
    onOpen: () => undefined,
    onPacket: () => undefined,
    onClose: () => undefined,
    onRoom: () => outbox.pump(),
  });
  scheduler.advance(1);
  const send = (mark: number): void => outbox.forward("command", new Uint8Array(600).fill(mark));
  return { scheduler, socket, link, outbox, send };
}

describe("a message that waits for a busy socket", () => {
  test("leaves at once when a socket with a drain event has room", () => {
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

  test("leaves within milliseconds if the socket has to be polled", () => {
    const { socket, send, scheduler } = scene(false);
    for (const mark of [1, 2, 3]) send(mark);
    socket.flushOne();
    expect(socket.written).toEqual([1, 2]);
    scheduler.advance(10);
    expect(socket.written).toEqual([1, 2, 3]);
  });

  test("leaves even if other traffic had filled the socket", () => {
    const { socket, send, scheduler } = scene(true);
    socket.otherBytes = 5000;
    send(1);
    socket.otherBytes = 0;
    scheduler.advance(300);
    expect(socket.written).toEqual([1]);
  });

  test("is dropped and counted when the link closes, and never written after that", () => {
    const { socket, send, link, outbox } = scene(true);
    for (const mark of [1, 2, 3, 4]) send(mark);
    link.close(4000, "enough");
    socket.flushOne();
    socket.flushOne();
    expect(socket.written).toEqual([1, 2]);
    expect(outbox.counters.packetsDropped).toBe(2);
  });
});

describe("on a path of 64 kbit/s that cannot carry all", () => {
  test("commands come before states and states before bulk, and each gets its share", () => {
    const scheduler = new VirtualScheduler();
    const settings = { delayMs: 25, rateBps: 64_000 };
    const pair = memoryLinkPair({ scheduler, random: seededRandom(2), settings, isUnreliable: false });
    const heard = { command: 0, state: 0, bulk: 0 };
    const statesHeard: number[] = [];
    const sender = new Session({ scheduler, handlers: { onReliable: () => undefined } });
    const receiver = new Session({
      scheduler,
      bulkBytes: () => 1_000_000,
      handlers: {
        onReliable: ({ length }) => (heard.command += length),
        onBulk: ({ length }) => (heard.bulk += length),
        onState: (body) => {
          heard.state += body.length;
          statesHeard.push(scheduler.nowMs() - new DataView(body.buffer, body.byteOffset).getFloat64(0));
        },
      },
    });
    const options = {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: 5000,
      timeoutMs: 60_000,
      heartbeatMs: 1000,
    };
    sender.attach(pair.a, options);
    receiver.attach(pair.b, options);
    scheduler.advance(500);
    const stops = [
      scheduler.every(100, () => sender.sendReliable(new Uint8Array(1000))),
      scheduler.every(33, () => {
        for (let key = 1; key <= 5; key++) {
          const body = new Uint8Array(200);
          new DataView(body.buffer).setFloat64(0, scheduler.nowMs());
          sender.sendState(body, key);
        }
      }),
      scheduler.every(100, () => sender.sendBulk(new Uint8Array(1000))),
    ];
    scheduler.advance(20_000);
    for (const stop of stops) stop();
    const all = heard.command + heard.state + heard.bulk;
    expect(all).toBeGreaterThan(0.8 * 20 * 8000);
    expect(heard.command / all).toBeGreaterThan(0.5);
    expect(heard.state / all).toBeGreaterThan(0.25);
    expect(heard.bulk / all).toBeGreaterThan(0.03);
    expect(heard.bulk / all).toBeLessThan(0.1);
    // The states are new, because newer ones replaced waiting ones.
    expect(
      statesHeard.toSorted((one, other) => one - other)[Math.floor(statesHeard.length / 2)],
    ).toBeLessThan(1000);
  });
});
