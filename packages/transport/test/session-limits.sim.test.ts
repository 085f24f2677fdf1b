import { ByteWriter, MessageKind, NetError, limits, type TrafficClassName } from "@paceline/protocol";
import { VirtualScheduler, memoryLinkPair, seededRandom } from "@paceline/testkit";
import { Session, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { ReliableInbox } from "../src/session/reliable-inbox.js";
import { COMMANDS, ReliableQueue } from "../src/session/outbox/reliable-queue.js";
import { HandLink, reliable } from "./hand-link.js";

const LINK: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 600_000,
  heartbeatMs: 1000,
};

function scene() {
  const scheduler = new VirtualScheduler();
  const received: Uint8Array[] = [];
  const session = new Session({
    scheduler,
    bulkBytes: () => limits.bulkBytes,
    handlers: {
      onReliable: (payload) => received.push(payload),
      onBulk: (payload) => received.push(payload),
    },
  });
  return { scheduler, session, received };
}

/** Sends until the session refuses. Returns the number of accepted messages. */
function fill(session: Session, payload: Uint8Array): number {
  for (let count = 0; ; count++) {
    try {
      session.sendReliable(payload);
    } catch (error) {
      if (!(error instanceof NetError) || error.code !== "limit/queue") throw error;
      return count;
    }
  }
}

describe("the queue of messages without a receipt", () => {
  test("[WF8] is limited in bytes, delivers all accepted messages, and reports its memory", () => {
    const a = scene();
    const b = scene();
    const count = fill(a.session, new Uint8Array(16_000));
    expect(count).toBe(Math.floor(limits.sessionQueueBytes / (16_000 + limits.reliableOverheadBytes)));
    expect(a.session.commands.hasRoom([new Uint8Array(0)], limits.sessionQueueBytes)).toBe(true);
    expect(a.session.heldBytes).toBeGreaterThan(limits.sessionQueueBytes - 20_000);
    const { scheduler } = a;
    const pair = memoryLinkPair({ scheduler, random: seededRandom(3), isUnreliable: false });
    a.session.attach(pair.a, LINK);
    b.session.attach(pair.b, LINK);
    scheduler.advance(2000);
    b.scheduler.advance(100);
    scheduler.advance(2000);
    expect(b.received).toHaveLength(count);
    expect([a.session.heldBytes, b.session.heldBytes]).toEqual([0, 0]);
  });

  test("[WF8] is limited in number if messages are empty", () => {
    expect(fill(scene().session, new Uint8Array(0))).toBe(limits.unacknowledgedMessages);
  });

  test("takes several messages together or none of them", () => {
    const { session } = scene();
    const most = Array.from({ length: 60 }, () => new Uint8Array(16_000));
    session.sendAllReliable(most);
    expect(() => session.sendAllReliable(most)).toThrow("limit/queue");
    expect(session.commands.length).toBe(60);
  });

  test("does not fill a link without receipts", () => {
    const { session, scheduler } = scene();
    const link = new (class extends HandLink {
      override send(trafficClass: TrafficClassName, packet: Uint8Array): void {
        this.queuedBytes += packet.length;
        super.send(trafficClass, packet);
      }
    })();
    session.attach(link, LINK);
    fill(session, new Uint8Array(10_000));
    scheduler.advance(60_000);
    expect(link.queuedBytes).toBeLessThan(400_000);
    link.queuedBytes = 0;
    link.receive([], { receipt: 3 });
    // Without a receipt few bytes are repeated. Receipts allow more.
    expect(link.queuedBytes).toBeGreaterThan(50_000);
  });
});

describe("the memory for messages that wait for an earlier one", () => {
  test("[WF37] is limited in bytes, but has room for all that an honest sender has without receipt", () => {
    const { session, received } = scene();
    const link = new HandLink();
    session.attach(link, LINK);
    const payload = Array.from({ length: 16_000 }, () => 7);
    for (let id = 1; id < 1024; id++) link.receive([reliable(id, ...payload)]);
    expect(session.drops.of("queue-full")).toBe(1023 - 65);
    expect(session.heldBytes).toBeLessThan(1.2 * limits.sessionQueueBytes);
    link.receive([reliable(0)]);
    expect(received).toHaveLength(66);
    expect(session.heldBytes).toBe(0);
  });

  test("[WF39] is limited for fragments of bulk too, however small they are", () => {
    const { session, received } = scene();
    const link = new HandLink();
    session.attach(link, LINK);
    const chunk = (id: number, bytes: number) => ({
      kind: MessageKind.bulk,
      body: new ByteWriter().u16(id).u8(0).bytes(new Uint8Array(bytes)).take(),
    });
    for (let id = 1; id < 2000; id++) link.receive([chunk(id, 1000)]);
    expect(session.heldBytes).toBeLessThan(200_000);
    expect(session.drops.of("queue-full")).toBeGreaterThan(1000);

    const other = scene();
    const small = new HandLink();
    other.session.attach(small, LINK);
    for (let id = 0; id < 40_000; id++)
      small.receive([chunk(id & 0xffff, id % 2)], { sequence: id & 0xffff });
    // 50 000 bytes of a message that never ends.
    expect(other.session.heldBytes).toBeLessThan(2 * 50_000 + 1000);
    expect([received, other.received]).toEqual([[], []]);
  });
});

describe("a lost message", () => {
  test("[WF38] is repeated as soon as acks of a later packet show the loss", () => {
    const { session, scheduler } = scene();
    const link = new HandLink();
    session.attach(link, LINK);
    scheduler.advance(60);
    link.takeSent();
    for (const byte of [10, 11, 12]) session.sendReliable(Uint8Array.of(byte));
    const sequences = link.takeSent().map(({ header }) => header.sequence);
    link.receive([], { receipt: 0, acks: { ack: sequences[2]!, ackBits: 0 } });
    expect(link.takeBodies(MessageKind.reliable)).toEqual([
      [0, 0, 10],
      [1, 0, 11],
      [2, 0, 12],
    ]);
    // The same acks again cause nothing.
    link.receive([], { receipt: 0, acks: { ack: sequences[2]!, ackBits: 0 } });
    scheduler.advance(1000);
    expect(link.takeBodies(MessageKind.reliable)).toEqual([]);
  });

  test("[WF38] is not assumed from time alone while receipts arrive over a slow path", () => {
    const { session, scheduler } = scene();
    const link = new HandLink();
    session.attach(link, LINK);
    for (let count = 0; count < 40; count++) session.sendReliable(new Uint8Array(1000));
    link.takeSent();
    for (let receipt = 1; receipt <= 20; receipt++) {
      scheduler.advance(500);
      link.receive([], { receipt });
    }
    expect(link.takeBodies(MessageKind.reliable)).toEqual([]);
    scheduler.advance(1600);
    expect(link.takeBodies(MessageKind.reliable)).not.toEqual([]);
  });
});

describe("ids", () => {
  test.each([1, 2])("[WF5] [WF37] wrap safely with the most messages without receipt, seed %i", (seed) => {
    const random = seededRandom(seed);
    const outbox = new ReliableQueue(COMMANDS);
    const inbox = new ReliableInbox();
    const received: number[] = [];
    const deliver = (payload: Uint8Array): void =>
      void received.push(new DataView(payload.buffer).getUint32(0));
    let sent = 0;
    let sequence = 0;
    while (received.length < 140_000) {
      while (sent < 200_000 && outbox.length < limits.unacknowledgedMessages && random.bool(0.9999)) {
        const payload = new Uint8Array(4);
        new DataView(payload.buffer).setUint32(0, sent++);
        outbox.add([payload], 0);
      }
      // Each of them may be lost, come twice, or come after all others.
      const messages = [...outbox.pending];
      const late: typeof messages = [];
      const loss = random.next() / 300;
      outbox.rewind();
      for (const message of messages) {
        outbox.sent([message], sequence++ & 0xffff, 0);
        if (random.bool(loss)) continue;
        if (random.bool(0.1)) late.push(message);
        else inbox.receive(message, deliver);
      }
      for (const message of late) inbox.receive(message, deliver);
      expect(outbox.acknowledge(inbox.expected, 0)).toBe(true);
      for (const message of late) inbox.receive(message, deliver);
    }
    expect(received.every((number, index) => number === index)).toBe(true);
  });
});
