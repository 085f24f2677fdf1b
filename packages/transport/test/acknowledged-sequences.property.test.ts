import { assert, array, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { AcknowledgedSequences } from "../src/session/acknowledged-sequences.js";
import { ReceivedSequences } from "../src/session/received-sequences.js";

describe("acknowledged sequences", () => {
  test("[WF5] each packet that arrived within the window of its acks is reported once, across the wrap", () => {
    const fate = integer({ min: 0, max: 3 });
    assert(
      property(integer({ min: 0, max: 0xffff }), array(fate, { maxLength: 200 }), (offset, fates) => {
        const receiver = new ReceivedSequences();
        const sender = new AcknowledgedSequences();
        const arrived: number[] = [];
        const reported: number[] = [];
        const isTaken: boolean[] = [];
        for (const [index, kind] of fates.entries()) {
          const sequence = (offset + index) & 0xffff;
          // 0: lost; 1: arrives, its answer is lost; 2, 3: its answer comes.
          if (kind > 0) {
            receiver.receive(sequence);
            arrived.push(sequence);
          }
          const { acks } = receiver;
          if (kind > 1 && acks) {
            isTaken.push(sender.take(acks, (sequence + 1) & 0xffff, index + 1, (s) => reported.push(s)));
          }
        }
        expect(isTaken).not.toContain(false);
        expect(new Set(reported).size).toBe(reported.length);
        expect(arrived).toEqual(expect.arrayContaining(reported));
        // An answer speaks of 33 packets: with one within any 33, nothing that arrived stays unknown.
        const lastAnswer = fates.findLastIndex((kind) => kind > 1);
        const answered = fates.flatMap((kind, index) => (kind > 1 ? [index] : []));
        const isClose = answered.every((index, at) => index - (answered[at - 1] ?? -1) <= 33);
        const known = arrived.filter((s) => ((s - offset) & 0xffff) <= lastAnswer);
        expect(reported).toEqual(isClose ? known : known.filter((s) => reported.includes(s)));
      }),
    );
  });

  test("[WF5] acks of what was never sent, and acks that were overtaken, report nothing", () => {
    const sender = new AcknowledgedSequences();
    const reported: number[] = [];
    const take = (ack: number, ackBits: number, next: number, sent: number) =>
      sender.take({ ack, ackBits }, next, sent, (sequence) => reported.push(sequence));
    expect(take(0, 0, 0, 0)).toBe(false);
    expect(take(5, 0, 5, 5)).toBe(false);
    expect(take(0xffff, 0, 5, 5)).toBe(false);
    // Of five packets only four can lie before the newest.
    expect(take(4, 0xffffffff, 5, 5)).toBe(false);
    expect(take(4, 0b10000, 5, 5)).toBe(false);
    expect(take(0, 1, 5, 5)).toBe(false);
    expect(reported).toEqual([]);
    expect(take(4, 0b1111, 5, 5)).toBe(true);
    expect(reported.splice(0)).toEqual([0, 1, 2, 3, 4]);
    expect(take(3, 0, 5, 5)).toBe(true);
    expect(take(4, 1, 5, 5)).toBe(true);
    expect(reported).toEqual([]);
    // Where more packets have gone out than the bits speak of, each of them may be set.
    expect(take(40, 0xffffffff, 41, 41)).toBe(true);
    expect(reported).toHaveLength(33);
  });
});
