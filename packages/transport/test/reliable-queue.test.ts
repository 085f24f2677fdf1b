import { limits, messageBytes } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { ReliableInbox } from "../src/session/reliable-inbox.js";
import { ReliableQueue, reliableCost, type SendWindow } from "../src/session/outbox/reliable-queue.js";

// What a session's loss and order do not show one by one: which bytes count as on their way, and when they go again.

const OVERHEAD = limits.reliableOverheadBytes;
const bytes = (length: number): Uint8Array => new Uint8Array(length);

/** A window of so many bytes, which stays; what it hears of receipts is kept. */
function fixedWindow(windowBytes: number) {
  const heard: (readonly [receiptBytes: number, tookMs: number | undefined])[] = [];
  const window: SendWindow = {
    firstBytes: windowBytes,
    after: (_, receiptBytes, tookMs) => {
      heard.push([receiptBytes, tookMs]);
      return windowBytes;
    },
  };
  return { window, heard };
}

/** Sends the next ones in one packet; their ids. */
function send(queue: ReliableQueue, sequence: number, nowMs: number, most?: number): number[] | undefined {
  const batch = queue.takeBatch(most);
  if (batch) queue.carried(batch, sequence, nowMs);
  return batch?.map(({ id }) => id);
}

describe("a queue of reliable messages", () => {
  test("takes exactly as much as may wait", () => {
    const queue = new ReliableQueue();
    const cost = reliableCost(bytes(100));
    expect(queue.hasRoom([bytes(100), bytes(100)], 2 * cost)).toBe(true);
    expect(queue.hasRoom([bytes(100), bytes(101)], 2 * cost)).toBe(false);
    queue.add([bytes(100)], 0);
    expect([queue.bytes, queue.length, queue.hasUnsent, queue.nextUnsentBytes]).toEqual([cost, 1, true, 100]);
    expect(queue.hasRoom([bytes(100)], 2 * cost)).toBe(true);
    expect(queue.hasRoom([bytes(101)], 2 * cost)).toBe(false);
    expect(queue.heldBytes).toBeGreaterThan(queue.bytes);
  });

  test("sends nothing while nothing waits, or while the window is full of what has left", () => {
    const { window, heard } = fixedWindow(2 * (100 + OVERHEAD));
    const queue = new ReliableQueue(window);
    expect(send(queue, 1, 0)).toBeUndefined();
    queue.add([bytes(100), bytes(100), bytes(100), bytes(100)], 0);
    expect(send(queue, 1, 10, 1)).toEqual([0]);
    expect(queue.isWindowOpen).toBe(true);
    expect(send(queue, 2, 20, 1)).toEqual([1]);
    expect(queue.isWindowOpen).toBe(false);
    expect(send(queue, 3, 30, 1)).toBeUndefined();
    // The first has arrived, the second is still on its way: there is room for one.
    expect(queue.acknowledge(1, 50)?.map(({ id }) => id)).toEqual([0]);
    expect(heard).toEqual([[100 + OVERHEAD, 40]]);
    expect(send(queue, 3, 60, 1)).toEqual([2]);
    expect(send(queue, 4, 70, 1)).toBeUndefined();
    expect([queue.isAcknowledged(0), queue.isAcknowledged(1), queue.isAcknowledged(3)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(queue.acknowledgedBytes).toBe(100 + OVERHEAD);
  });

  test("counts what leaves in another's packet as on its way", () => {
    const { window } = fixedWindow(100 + OVERHEAD);
    const queue = new ReliableQueue(window);
    expect(queue.addSent(bytes(100), 7, 5)).toBe(0);
    expect([queue.hasUnsent, queue.isWindowOpen]).toEqual([false, false]);
    queue.add([bytes(1)], 5);
    expect(send(queue, 8, 6)).toBeUndefined();
    queue.acknowledge(1, 10);
    expect(send(queue, 8, 10)).toEqual([1]);
  });

  test("tells receipts of what went again from others: they say nothing of the path, and may be of the first time", () => {
    const { window, heard } = fixedWindow(10_000);
    const queue = new ReliableQueue(window);
    queue.add([bytes(100), bytes(200), bytes(300)], 0);
    send(queue, 1, 0, 1);
    send(queue, 2, 0, 1);
    queue.rewind();
    expect(queue.hasUnsent).toBe(true);
    expect(send(queue, 3, 20, 1)).toEqual([0]);
    // The first is on its way again, the second has not left again: what came of it was sent before.
    queue.acknowledge(1, 30);
    queue.acknowledge(2, 30);
    send(queue, 4, 40, 1);
    queue.acknowledge(3, 100);
    expect(heard).toEqual([
      [100 + OVERHEAD, undefined],
      [2 * (200 + OVERHEAD), undefined],
      [300 + OVERHEAD, 60],
    ]);
  });

  test("goes again where a packet behind the oldest arrives, and once more where one behind its repetition does", () => {
    const queue = new ReliableQueue();
    queue.add([bytes(10), bytes(10), bytes(10), bytes(10)], 0);
    for (const sequence of [1, 2, 3]) send(queue, sequence, 0, 1);
    // A packet without reliable messages, and the oldest one's own, say nothing.
    expect([queue.rewindIfLost(9), queue.rewindIfLost(1)]).toEqual([false, false]);
    expect(queue.rewindIfLost(2)).toBe(true);
    expect(queue.hasUnsent).toBe(true);
    for (const sequence of [11, 12, 13]) send(queue, sequence, 10, 1);
    // One from before the repetition says nothing of it.
    expect(queue.rewindIfLost(3)).toBe(false);
    expect(queue.rewindIfLost(12)).toBe(true);
    for (const sequence of [21, 22, 23]) send(queue, sequence, 20, 1);
    expect(queue.acknowledge(1, 20)).toHaveLength(1);
    // The packets that are on their way still count after the receipt.
    expect(queue.rewindIfLost(23)).toBe(true);
    // Nothing is on its way any more.
    expect(queue.rewindIfLost(23)).toBe(false);
    expect(send(queue, 31, 30)).toEqual([1, 2, 3]);
  });

  test("goes again four times for acks alone: whoever gives no receipts gets no more", () => {
    const queue = new ReliableQueue();
    queue.add([bytes(10), bytes(10)], 0);
    const repeats = Array.from({ length: 20 }, (_, round) => {
      for (const place of [1, 2]) send(queue, 2 * round + place, 0, 1);
      return queue.rewindIfLost(2 * round + 2);
    });
    expect(repeats.filter(Boolean)).toHaveLength(4);
  });

  test("goes again where nothing was heard of the oldest, after twice the time each time, eight times at most", () => {
    const queue = new ReliableQueue();
    queue.add([bytes(10)], 0);
    let [nowMs, sequence] = [0, 1];
    for (const patience of [100, 200, 400, 800, 800]) {
      send(queue, sequence++, nowMs);
      queue.rewindIfOverdue(100, nowMs + patience);
      expect(queue.hasUnsent).toBe(false);
      nowMs += patience + 1;
      queue.rewindIfOverdue(100, nowMs);
      expect(queue.hasUnsent).toBe(true);
    }
    expect(queue.stuckMs(nowMs)).toBe(nowMs);
    send(queue, sequence, nowMs);
    queue.add([bytes(10)], nowMs);
    queue.acknowledge(1, nowMs);
    expect(queue.stuckMs(nowMs + 70)).toBe(70);
    queue.acknowledge(2, nowMs + 70);
    expect(queue.stuckMs(nowMs + 99)).toBe(0);
  });

  test("fills a packet to its last byte", () => {
    const lengthOf = (count: number, last: number): number => {
      const queue = new ReliableQueue();
      const payloads = Array.from({ length: count }, (_, index) => bytes(index === count - 1 ? last : 100));
      queue.add(payloads, 0);
      return send(queue, 1, 0)!.length;
    };
    // Room for the packet's header, ten of 100 bytes with their heads and ids, and one more head and id.
    const last = limits.unreliablePacketBytes - 32 - 10 * messageBytes(102) - messageBytes(2);
    expect([lengthOf(11, last), lengthOf(11, last + 1)]).toEqual([11, 10]);
  });

  test("knows no receipt of what was never sent, and nothing new in an older one", () => {
    const queue = new ReliableQueue();
    queue.add([bytes(1), bytes(1)], 0);
    send(queue, 1, 0);
    expect(queue.acknowledge(3, 1)).toBeUndefined();
    expect(queue.acknowledge(0, 1)).toEqual([]);
    expect(queue.acknowledge(2, 1)).toHaveLength(2);
    expect(queue.acknowledge(1, 1)).toEqual([]);
    expect([queue.bytes, queue.length]).toEqual([0, 0]);
  });
});

test("an inbox has room for the next message, however much waits for it, and for no other beyond its bytes", () => {
  const inbox = new ReliableInbox(2 * reliableCost(bytes(10)));
  const taken: number[] = [];
  const receive = (id: number, length: number) =>
    inbox.receive(id, bytes(length), (each) => taken.push(each.length));
  expect([receive(2, 10), receive(3, 10)]).toEqual([undefined, undefined]);
  expect([receive(1, 1), receive(4, 1), receive(2, 10)]).toEqual(["queue-full", "queue-full", "duplicate"]);
  expect(inbox.heldBytes).toBeGreaterThan(2 * reliableCost(bytes(10)));
  expect(receive(0, 500)).toBeUndefined();
  expect(receive(1, 1)).toBeUndefined();
  expect(taken).toEqual([500, 1, 10, 10]);
  expect([inbox.expected, inbox.heldBytes]).toEqual([4, 0]);
});
