import { ConfigError, encodeValue, limits } from "@paceline/protocol";
import { decodeValue } from "../src/bytes/value-codec.js";
import {
  anything,
  array,
  assert,
  constantFrom,
  dictionary,
  letrec,
  oneof,
  property,
  string,
  uint8Array,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { withEachCodec } from "./each-codec.js";
import { plainValue } from "./arbitraries.js";

/** JSON with undefined in any place. */
const plainJson = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 4 },
    constantFrom<unknown>(undefined, null, true, -0, "text", 1.5),
    array(tie("value"), { maxLength: 4 }),
    dictionary(string({ maxLength: 3 }).filter(isSafeKey), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

function isSafeKey(key: string): boolean {
  return key !== "__proto__" && !/\p{Surrogate}/u.test(key);
}

function outcomeOf(value: unknown): string {
  try {
    return decodeValue(encodeValue(value)) ? "read again or refused" : "written but not readable";
  } catch (error) {
    return error instanceof ConfigError ? "read again or refused" : String(error);
  }
}

withEachCodec(() => {
  describe("values", () => {
    test("[WF18] that are plain data are decoded as they were encoded", () => {
      assert(
        property(plainValue(limits.nestingDepth), (value) => {
          expect(decodeValue(encodeValue(value))).toEqual({ value });
        }),
        { numRuns: 2000 },
      );
    });

    test("[WF18] with undefined members and items are decoded as JSON would read them", () => {
      assert(
        property(plainJson, (value) => {
          const json: unknown = JSON.parse(JSON.stringify(value) ?? "null");
          expect(decodeValue(encodeValue(value))).toStrictEqual({ value: json });
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
});
