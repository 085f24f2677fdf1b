import { limits, messageBytes } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { ReliableInbox } from "../src/session/reliable-inbox.js";
import type { SendWindow } from "../src/session/outbox/delay-window.js";
import { BULK, COMMANDS, ReliableQueue, reliableCost } from "../src/session/outbox/reliable-queue.js";

// Details that loss and order in a session do not show one by one: bytes on their way, and repetitions.

const OVERHEAD = limits.reliableOverheadBytes;
const bytes = (length: number): Uint8Array => new Uint8Array(length);

/** A window of constant size. It records receipts until the path changes. */
function fixedWindow(windowBytes: number) {
  const heard: (readonly [receiptBytes: number, tookMs: number | undefined])[] = [];
  const window: SendWindow = {
    firstBytes: windowBytes,
    after: (_, receiptBytes, tookMs) => {
      heard.push([receiptBytes, tookMs]);
      return windowBytes;
    },
    forget: () => void heard.splice(0),
  };
  return { window, heard };
}

/** Sends the next fragments in one packet. Returns their ids. */
function send(queue: ReliableQueue, sequence: number, nowMs: number, most?: number): number[] | undefined {
  const batch = queue.nextBatch().slice(0, most);
  if (batch.length === 0) return undefined;
  queue.sent(batch, sequence, nowMs);
  return batch.map(({ id }) => id);
}

describe("a queue of reliable messages", () => {
  test("takes messages up to its exact limits", () => {
    const queue = new ReliableQueue(COMMANDS);
    const cost = reliableCost(bytes(100));
    expect(queue.hasRoom([bytes(100), bytes(100)], 2 * cost)).toBe(true);
    expect(queue.hasRoom([bytes(100), bytes(101)], 2 * cost)).toBe(false);
    queue.add([bytes(100)], 0);
    expect([queue.bytes, queue.length, queue.hasUnsent, queue.nextBytes]).toEqual([cost, 1, true, 100]);
    expect(queue.hasRoom([bytes(100)], 2 * cost)).toBe(true);
    expect(queue.hasRoom([bytes(101)], 2 * cost)).toBe(false);
    expect(queue.heldBytes).toBeGreaterThan(queue.bytes);
  });

  test("sends nothing while nothing waits, or while the window is full", () => {
    const { window, heard } = fixedWindow(2 * (100 + OVERHEAD));
    const queue = new ReliableQueue(COMMANDS, window);
    expect(send(queue, 1, 0)).toBeUndefined();
    queue.add([bytes(100), bytes(100), bytes(100), bytes(100)], 0);
    expect(send(queue, 1, 10, 1)).toEqual([0]);
    expect(queue.isWindowOpen).toBe(true);
    expect(send(queue, 2, 20, 1)).toEqual([1]);
    expect(queue.isWindowOpen).toBe(false);
    expect(send(queue, 3, 30, 1)).toBeUndefined();
    // The first has arrived, the second is still on its way: there is room for one.
    expect(queue.acknowledge(1, 50)).toBe(true);
    expect(queue.pending.map(({ id }) => id)).toEqual([1, 2, 3]);
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

  test("counts a message in another session's packet as on its way", () => {
    const { window } = fixedWindow(100 + OVERHEAD);
    const queue = new ReliableQueue(COMMANDS, window);
    expect(queue.addSent(bytes(100), 7, 5)).toBe(0);
    expect([queue.hasUnsent, queue.isWindowOpen]).toEqual([false, false]);
    queue.add([bytes(1)], 5);
    expect(send(queue, 8, 6)).toBeUndefined();
    queue.acknowledge(1, 10);
    expect(send(queue, 8, 10)).toEqual([1]);
  });

  test("measures no time from receipts of repeated messages, which may confirm the first packet", () => {
    const { window, heard } = fixedWindow(10_000);
    const queue = new ReliableQueue(COMMANDS, window);
    queue.add([bytes(100), bytes(200), bytes(300)], 0);
    send(queue, 1, 0, 1);
    send(queue, 2, 0, 1);
    queue.rewind();
    expect(queue.hasUnsent).toBe(true);
    expect(send(queue, 3, 20, 1)).toEqual([0]);
    // The first is on its way again. The second has not left again, so that its receipt is for the earlier
    // packet.
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

  test("repeats messages if a later packet than the oldest arrives, and again if one later than the repetition does", () => {
    const queue = new ReliableQueue(COMMANDS);
    queue.add([bytes(10), bytes(10), bytes(10), bytes(10)], 0);
    for (const sequence of [1, 2, 3]) send(queue, sequence, 0, 1);
    // Packet 9 carries no reliable message and packet 1 the oldest one: neither ack shows a loss.
    expect([queue.rewindIfLost(9), queue.rewindIfLost(1)]).toEqual([false, false]);
    expect(queue.rewindIfLost(2)).toBe(true);
    expect(queue.hasUnsent).toBe(true);
    for (const sequence of [11, 12, 13]) send(queue, sequence, 10, 1);
    // A packet from before the repetition does not show a loss of it.
    expect(queue.rewindIfLost(3)).toBe(false);
    expect(queue.rewindIfLost(12)).toBe(true);
    for (const sequence of [21, 22, 23]) send(queue, sequence, 20, 1);
    expect(queue.acknowledge(1, 20)).toBe(true);
    expect(queue.length).toBe(3);
    // The packets on their way still count after the receipt.
    expect(queue.rewindIfLost(23)).toBe(true);
    // Nothing is on its way any more.
    expect(queue.rewindIfLost(23)).toBe(false);
    expect(send(queue, 31, 30)).toEqual([1, 2, 3]);
  });

  test("repeats a broadcast if a later packet arrives, not if an earlier one does", () => {
    const queue = new ReliableQueue(COMMANDS);
    queue.add([bytes(10)], 0);
    send(queue, 1, 0);
    // Packet 2 had states, and the broadcast followed it.
    queue.addSent(bytes(10), 2, 0);
    expect(queue.rewindIfLost(2)).toBe(false);
    queue.acknowledge(1, 0);
    queue.add([bytes(10)], 0);
    send(queue, 3, 0);
    expect(queue.rewindIfLost(3)).toBe(true);
    expect(send(queue, 4, 0)).toEqual([1, 2]);
    expect(queue.rewindIfLost(4)).toBe(false);
  });

  test("repeats messages at most four times because of acks without a receipt", () => {
    const queue = new ReliableQueue(COMMANDS);
    queue.add([bytes(10), bytes(10)], 0);
    const repeats = Array.from({ length: 20 }, (_, round) => {
      for (const place of [1, 2]) send(queue, 2 * round + place, 0, 1);
      return queue.rewindIfLost(2 * round + 2);
    });
    expect(repeats.filter(Boolean)).toHaveLength(4);
  });

  test("repeats without a receipt after twice the time each time, up to eight times the first", () => {
    const queue = new ReliableQueue(COMMANDS);
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
      const queue = new ReliableQueue(COMMANDS);
      const payloads = Array.from({ length: count }, (_, index) => bytes(index === count - 1 ? last : 100));
      queue.add(payloads, 0);
      return send(queue, 1, 0)!.length;
    };
    // Room for the packet's header, ten of 100 bytes with their heads and ids, and one more head and id.
    const last = limits.unreliablePacketBytes - 32 - 10 * messageBytes(102) - messageBytes(2);
    expect([lengthOf(11, last), lengthOf(11, last + 1)]).toEqual([11, 10]);
  });

  test("refuses a receipt of unsent messages, and ignores an older one", () => {
    const queue = new ReliableQueue(COMMANDS);
    queue.add([bytes(1), bytes(1)], 0);
    send(queue, 1, 0);
    expect(queue.acknowledge(3, 1)).toBe(false);
    expect(queue.acknowledge(0, 1)).toBe(true);
    expect(queue.length).toBe(2);
    expect(queue.acknowledge(2, 1)).toBe(true);
    expect(queue.acknowledge(1, 1)).toBe(true);
    expect([queue.bytes, queue.length]).toEqual([0, 0]);
  });
});

describe("a queue of long messages", () => {
  const MAX = BULK.fragmentBytes;
  const cutOf = (queue: ReliableQueue) =>
    queue.pending.map(({ payload, isLast }) => [payload.length, isLast]);

  test("cuts them as they leave, each fragment with an id of its own", () => {
    const queue = new ReliableQueue(BULK);
    queue.add([bytes(2 * MAX + 1), bytes(MAX), bytes(MAX + 1)], 0);
    expect(cutOf(queue)).toEqual([[MAX, false]]);
    expect([queue.length, queue.bytes]).toEqual([3, 4 * MAX + 2 + 3 * OVERHEAD]);
    expect(send(queue, 1, 0)).toEqual([0]);
    expect(send(queue, 2, 0)).toEqual([1]);
    // A message that fits one fragment is one fragment: two short ones may share a packet.
    expect(cutOf(queue).slice(2)).toEqual([
      [1, true],
      [MAX, true],
    ]);
    expect(send(queue, 3, 0)).toEqual([2]);
    expect(queue.acknowledge(2, 5)).toBe(true);
    expect([queue.length, queue.bytes]).toEqual([3, 2 * MAX + 2 + 3 * OVERHEAD]);
    expect(queue.acknowledge(3, 5)).toBe(true);
    expect([queue.length, queue.bytes]).toEqual([2, 2 * MAX + 1 + 2 * OVERHEAD]);
    for (const [sequence, ids] of [[3], [4], [5]].entries()) expect(send(queue, sequence, 9)).toEqual(ids);
    expect(send(queue, 9, 9)).toBeUndefined();
    expect(queue.acknowledge(6, 10)).toBe(true);
    expect([queue.length, queue.bytes, queue.heldBytes]).toEqual([0, 0, 0]);
  });

  test("continues after a receipt of a fragment that was cut but has not left", () => {
    const queue = new ReliableQueue(BULK);
    queue.add([bytes(2 * MAX)], 0);
    expect(queue.acknowledge(1, 0)).toBe(true);
    expect(send(queue, 1, 0)).toEqual([1]);
    expect([queue.length, queue.acknowledge(2, 1), queue.length]).toEqual([1, true, 0]);
  });

  test("sends short ones in one packet, up to its last byte", () => {
    const queue = new ReliableQueue(BULK);
    const last = limits.unreliablePacketBytes - 32 - 10 * messageBytes(103) - messageBytes(3);
    const short = Array.from({ length: 10 }, () => bytes(100));
    queue.add([...short, bytes(last), ...short, bytes(last + 1)], 0);
    expect(send(queue, 1, 0)).toHaveLength(11);
    expect(send(queue, 2, 0)).toHaveLength(10);
    expect(send(queue, 3, 0)).toEqual([21]);
  });

  test("repeats a fragment as soon as a packet after it has arrived", () => {
    const { window, heard } = fixedWindow(2 * MAX);
    const queue = new ReliableQueue(BULK, window);
    queue.add([bytes(3 * MAX)], 0);
    for (const sequence of [7, 8]) expect(send(queue, sequence, 0)).toEqual([sequence - 7]);
    expect(send(queue, 9, 0)).toBeUndefined();
    expect(queue.rewindIfLost(8)).toBe(true);
    for (const sequence of [10, 11]) expect(send(queue, sequence, 5)).toEqual([sequence - 10]);
    queue.acknowledge(2, 9);
    // Only a change of the path makes the window measure from the beginning.
    expect(heard).toEqual([[2 * MAX, undefined]]);
    queue.rewind();
    expect(heard).toEqual([]);
  });
});

test("a full inbox takes the next expected message, and no others", () => {
  const inbox = new ReliableInbox(2 * reliableCost(bytes(10)));
  const taken: number[] = [];
  const receive = (id: number, length: number) =>
    inbox.receive({ id, payload: bytes(length), isLast: true }, (each) => taken.push(each.length));
  expect([receive(2, 10), receive(3, 10)]).toEqual([undefined, undefined]);
  expect([receive(1, 1), receive(4, 1), receive(2, 10)]).toEqual(["queue-full", "queue-full", "duplicate"]);
  expect(inbox.heldBytes).toBeGreaterThan(2 * reliableCost(bytes(10)));
  expect(receive(0, 500)).toBeUndefined();
  expect(receive(1, 1)).toBeUndefined();
  expect(taken).toEqual([500, 1, 10, 10]);
  expect([inbox.expected, inbox.heldBytes]).toEqual([4, 0]);
});

test("an inbox joins fragments in order, however they arrive, and counts their bytes", () => {
  const inbox = new ReliableInbox();
  const taken: string[] = [];
  const deliver = (message: Uint8Array) => taken.push(Buffer.from(message).toString());
  const receive = (id: number, text: string, isLast: boolean) =>
    inbox.receive({ id, payload: Buffer.from(text), isLast }, deliver, 6);
  expect(receive(2, "c", true)).toBeUndefined();
  expect(receive(1, "b", false)).toBeUndefined();
  expect(taken).toEqual([]);
  expect(receive(0, "a", false)).toBeUndefined();
  expect([taken.splice(0), inbox.heldBytes, inbox.expected]).toEqual([["abc"], 0, 3]);
  // Six bytes are allowed, seven are not, at once or bit by bit. Later messages are read.
  for (const [id, part] of ["1", "23", "", "456"].entries()) receive(3 + id, part, id === 3);
  expect(receive(7, "123", false)).toBeUndefined();
  expect(inbox.heldBytes).toBeGreaterThanOrEqual(3);
  expect([receive(8, "4567", false), inbox.heldBytes]).toEqual(["too-long", 0]);
  expect([receive(9, "8", false), receive(10, "", true)]).toEqual([undefined, undefined]);
  expect(receive(11, "1234567", true)).toBe("too-long");
  expect([receive(12, "", true), receive(13, "x", true)]).toEqual([undefined, undefined]);
  expect(taken).toEqual(["123456", "", "x"]);
});
