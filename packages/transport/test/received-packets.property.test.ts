import { array, assert, constantFrom, integer, oneof, property } from "fast-check";
import { expect, test } from "vitest";
import { ReceivedPackets } from "../src/session/received-packets.js";

const SIZE = 1024;
/** Distance from the newest sequence. Errors are likely at the limits and at great steps. */
const step = oneof(
  integer({ min: -40, max: 40 }),
  integer({ min: -1100, max: 1100 }),
  constantFrom(
    -34,
    -33,
    -32,
    -31,
    31,
    32,
    33,
    34,
    -SIZE - 1,
    -SIZE,
    1 - SIZE,
    SIZE - 1,
    SIZE,
    SIZE + 1,
    32_000,
  ),
);

/** Returns which of the 32 before a sequence are in a set, the last of them as the lowest bit. */
function bitsBefore(sequence: number, came: ReadonlySet<number>): number {
  let bits = 0;
  for (let bit = 0; bit < 32; bit++) if (came.has(sequence - 1 - bit)) bits += 2 ** bit;
  return bits;
}

test("[WF3] [WF40] tells new, repeated and outdated packets apart as a plain set does, across the wrap, and acknowledges the newest", () => {
  assert(
    property(integer({ min: 0, max: 0xffff }), array(step, { maxLength: 200 }), (first, steps) => {
      const memory = new ReceivedPackets();
      expect(memory.acks).toBeUndefined();
      expect(memory.add(first)).toBe("new");
      const came = new Set([first]);
      let newest = first;
      for (const distance of steps) {
        const sequence = newest + distance;
        const isOld = distance <= -SIZE;
        const expected = isOld ? "outdated" : came.has(sequence) ? "duplicate" : "new";
        expect(memory.add(sequence & 0xffff)).toBe(expected);
        if (!isOld) came.add(sequence);
        newest = Math.max(newest, sequence);
        expect(memory.acks).toEqual({ ack: newest & 0xffff, ackBits: bitsBefore(newest, came) });
      }
    }),
    { numRuns: 300 },
  );
});
