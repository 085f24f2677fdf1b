import { ConfigError, decodeValue, encodeValue, limits } from "@paceline/protocol";
import { anything, assert, property, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { plainValue } from "./arbitraries.js";

function outcomeOf(value: unknown): string {
  try {
    return decodeValue(encodeValue(value)) ? "read again or refused" : "written but not readable";
  } catch (error) {
    return error instanceof ConfigError ? "read again or refused" : String(error);
  }
}

describe("values", () => {
  test("[WF18] that are plain data are decoded as they were encoded", () => {
    assert(
      property(plainValue(limits.nestingDepth), (value) => {
        expect(decodeValue(encodeValue(value))).toEqual({ value });
      }),
      { numRuns: 2000 },
    );
  });

  test("[WF18] of any other kind are refused, never written wrongly", () => {
    const odd = anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withDate: true,
    });
    assert(
      property(odd, (value) => {
        expect(outcomeOf(value)).toBe("read again or refused");
      }),
      { numRuns: 2000 },
    );
  });

  test("[WF18] are malformed if cut short or followed by other bytes", () => {
    assert(
      property(plainValue(4), uint8Array({ minLength: 1, maxLength: 3 }), (value, more) => {
        const bytes = encodeValue(value);
        for (let length = 0; length < bytes.length; length++) {
          expect(decodeValue(bytes.subarray(0, length))).toBeUndefined();
        }
        expect(decodeValue(Uint8Array.of(...bytes, ...more))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
