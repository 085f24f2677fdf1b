import { array, assert, constantFrom, integer, oneof, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { ReceivedPackets } from "../src/session/received-packets.js";
import { SequenceWindow, areOfSent } from "../src/session/sequence-window.js";

/** A model of the set without bits and wrap: all sequences that were added, unwrapped. */
class Model {
  readonly members = new Set<number>();
  newest = Number.NEGATIVE_INFINITY;

  add(sequence: number): "new" | "duplicate" | "outdated" {
    if (sequence < this.newest - 32) return "outdated";
    if (this.members.has(sequence)) return "duplicate";
    this.members.add(sequence);
    this.newest = Math.max(this.newest, sequence);
    return "new";
  }
}

/** From just before a wrap to far from one. */
const start = oneof(integer({ min: 0, max: 0xffff }), integer({ min: 0xffd0, max: 0xffff }));
/** Distance from the newest sequence. Errors are likely at the limits of the window. */
const step = oneof(
  integer({ min: -40, max: 40 }),
  constantFrom(-34, -33, -32, -31, -1, 0, 1, 31, 32, 33, 34),
);

describe("the acknowledged packets", () => {
  test("[WF3] reports each packet once that the acks of another side name, oldest first", () => {
    const packet = tuple(step, integer({ min: 0, max: 3 }));
    assert(
      property(start, array(packet, { maxLength: 60 }), (first, packets) => {
        const [there, here] = [new ReceivedPackets(), new SequenceWindow()];
        const [sender, receiver] = [new Model(), new Model()];
        there.add(first);
        sender.add(first + 0x10000);
        for (const [distance, fate] of packets) {
          const sequence = sender.newest + distance;
          there.add(sequence & 0xffff);
          sender.add(sequence);
          // Some acks are lost on the way.
          if (fate === 0) continue;
          const reported: number[] = [];
          here.merge(there.acks!, (news) => reported.push(news));
          const named = Array.from({ length: 33 }, (_, back) => sender.newest - 32 + back);
          const news = named.filter((at) => sender.members.has(at) && receiver.add(at) === "new");
          expect(reported).toEqual(news.map((at) => at & 0xffff));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("[WF3] acks that newer ones overtook report nothing", () => {
    const window = new SequenceWindow();
    const reported: number[] = [];
    const merge = (ack: number, ackBits: number) =>
      window.merge({ ack, ackBits }, (news) => reported.push(news));
    merge(2, 0b101);
    expect(reported.splice(0)).toEqual([0xffff, 1, 2]);
    merge(0xffff, 0b1);
    merge(1, 0b11);
    merge(2, 0b101);
    expect(reported).toEqual([]);
    merge(2, 0b111);
    expect(reported.splice(0)).toEqual([0]);
    merge(40, 0xffffffff);
    expect(reported).toHaveLength(33);
  });
});

test("[WF3] acks of packets that were never sent are detected", () => {
  const sent = (ack: number, ackBits: number, next: number, count: number) =>
    areOfSent({ ack, ackBits }, next, count);
  expect(sent(0, 0, 0, 0)).toBe(false);
  expect(sent(5, 0, 5, 5)).toBe(false);
  expect(sent(0xffff, 0, 5, 5)).toBe(false);
  // Of five packets only four can be before the newest.
  expect(sent(4, 0xffffffff, 5, 5)).toBe(false);
  expect(sent(4, 0b10000, 5, 5)).toBe(false);
  expect(sent(0, 1, 5, 5)).toBe(false);
  expect(sent(4, 0b1111, 5, 5)).toBe(true);
  expect(sent(0, 0, 5, 5)).toBe(true);
  // Of 33 packets 32 are before the newest, of 32 only 31.
  expect(sent(31, 0xffffffff, 32, 32)).toBe(false);
  expect(sent(31, 0x7fffffff, 32, 32)).toBe(true);
  expect(sent(32, 0xffffffff, 33, 33)).toBe(true);
  // Across the wrap, with more sent packets than the bits cover.
  expect(sent(0xffff, 0xffffffff, 0, 0x7fff)).toBe(true);
});
