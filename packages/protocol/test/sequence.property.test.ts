import { SEQUENCE_MODULUS, isNewer, nextSequence, sequenceDistance } from "@paceline/protocol";
import { assert, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";

const sequence = integer({ min: 0, max: 0xffff });
const HALF = SEQUENCE_MODULUS / 2;

const distances = Array.from({ length: SEQUENCE_MODULUS }, (_, index) => index - HALF);

function isRightAcross(start: number, distance: number): boolean {
  const other = (start + distance) & 0xffff;
  return sequenceDistance(other, start) === distance && isNewer(other, start) === distance > 0;
}

describe("circular sequences", () => {
  test("[WF5] give every distance in both directions, from all starts at the edges", () => {
    for (const start of [0, 1, HALF - 1, HALF, HALF + 1, 0xfffe, 0xffff]) {
      expect(distances.filter((distance) => !isRightAcross(start, distance))).toEqual([]);
    }
  });

  test("[WF5] give every distance from any start", () => {
    assert(
      property(sequence, integer({ min: -HALF, max: HALF - 1 }), (start, distance) => {
        expect(sequenceDistance((start + distance) & 0xffff, start)).toBe(distance);
      }),
    );
  });

  test("[WF5] are newer in one direction only; opposite ones in none", () => {
    assert(
      property(sequence, sequence, (a, b) => {
        const isOpposite = ((a - b) & 0xffff) === HALF;
        expect([isNewer(a, b), isNewer(b, a)].filter(Boolean)).toHaveLength(a === b || isOpposite ? 0 : 1);
      }),
    );
  });

  test("[WF5] continue with 0 after 65535", () => {
    expect([nextSequence(0), nextSequence(0xfffe), nextSequence(0xffff)]).toEqual([1, 0xffff, 0]);
    expect([isNewer(0, 0xffff), isNewer(0xffff, 0)]).toEqual([true, false]);
  });
});
