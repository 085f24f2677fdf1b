import { ConfigError, decodeValue, encodeValue, limits } from "@paceline/protocol";
import { anything, assert, property, uint8Array } from "fast-check";
import { Packr } from "msgpackr";
import { describe, expect, test } from "vitest";
import { plainValue } from "./arbitraries.js";

function outcomeOf(value: unknown): string {
  try {
    return decodeValue(encodeValue(value)) ? "read again or refused" : "written but not readable";
  } catch (error) {
    return error instanceof ConfigError ? "read again or refused" : String(error);
  }
}

const lengths = [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536];
/** Values on both sides of each border between two formats of msgpack. */
const borders: readonly unknown[] = [
  ...lengths.flatMap((length) => [length, length - 2 * length]),
  ...[127, 128, -32, -33, -128, -129, -32_768, -32_769, 1.5, -0, 2 ** 53],
  ...[2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 31), -(2 ** 31) - 1],
  ...lengths.flatMap((length) => ["a".repeat(length), "é".repeat(length), new Uint8Array(length)]),
  ...lengths.map((length) => Array.from({ length }, () => 1)),
  ...lengths.map((length) => Object.fromEntries(Array.from({ length }, (_, key) => [`k${key}`, key]))),
  { nothing: undefined, list: [undefined, null, true, false] },
];

describe("values", () => {
  test("[WF24] are written as msgpackr writes them, each in its shortest format", () => {
    const packer = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });
    const isSame = (value: unknown): boolean => packer.pack(value).equals(encodeValue(value));
    for (const value of borders) expect(isSame(value)).toBe(true);
    assert(property(plainValue(limits.nestingDepth), isSame), { numRuns: 500 });
  });

  test("[WF24] that are plain data come back as they were", () => {
    assert(
      property(plainValue(limits.nestingDepth), (value) => {
        expect(decodeValue(encodeValue(value))).toEqual({ value });
      }),
      { numRuns: 2000 },
    );
  });

  test("[WF24] of any other kind are refused, never written wrongly", () => {
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

  test("[WF25] cut anywhere, or followed by anything, are malformed", () => {
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
