import { array, assert, constantFrom, integer, oneof, property } from "fast-check";
import { expect, test } from "vitest";
import { ReceivedPackets } from "../src/session/received-packets.js";

const SIZE = 1024;
/** Distance from the newest sequence. Errors are likely at the limits and at great steps. */
const step = oneof(
  integer({ min: -40, max: 40 }),
  integer({ min: -1100, max: 1100 }),
  constantFrom(-SIZE - 1, -SIZE, 1 - SIZE, SIZE - 1, SIZE, SIZE + 1, 32_000),
);

test("[WF40] tells new, repeated and outdated packets apart as a plain set does, across the wrap", () => {
  assert(
    property(integer({ min: 0, max: 0xffff }), array(step, { maxLength: 200 }), (first, steps) => {
      const memory = new ReceivedPackets();
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
      }
    }),
    { numRuns: 300 },
  );
});
