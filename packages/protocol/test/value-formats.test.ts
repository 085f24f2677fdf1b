import { decodeValue } from "../src/bytes/value-codec.js";
import { limits } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { withEachCodec } from "./each-codec.js";
import { fromHex } from "./vectors.js";

/** Returns the bytes of a value: format, length, body. */
const sized = (format: string, length: string, body: string): string => format + length + body;
const A = "61";

/** Every msgpack format that a value may have, and its decoded value. */
const formats: readonly (readonly [name: string, hex: string, value: unknown])[] = [
  ["positive fixint", "7f", 127],
  ["negative fixint", "e0", -32],
  ["nil", "c0", null],
  ["false", "c2", false],
  ["true", "c3", true],
  ["uint 8", "ccff", 255],
  ["uint 16", "cdffff", 65_535],
  ["uint 32", "ceffffffff", 4_294_967_295],
  ["uint 64", "cf0000000100000000", 4_294_967_296],
  ["int 8", "d080", -128],
  ["int 16", "d18000", -32_768],
  ["int 32", "d280000000", -2_147_483_648],
  ["int 64", "d3ffffffff00000000", -4_294_967_296],
  ["float 32", "ca3fc00000", 1.5],
  ["the largest float 32", "ca7f7fffff", 3.4028234663852886e38],
  ["float 64", "cb3ff8000000000000", 1.5],
  ["the largest float 64", "cb7fefffffffffffff", Number.MAX_VALUE],
  ["fixstr", "a161", "a"],
  ["the longest fixstr", `bf${A.repeat(31)}`, "a".repeat(31)],
  ["str 8", sized("d9", "02", A.repeat(2)), "aa"],
  ["str 16", sized("da", "0002", A.repeat(2)), "aa"],
  ["str 32", sized("db", "00000002", A.repeat(2)), "aa"],
  ["bin 8", sized("c4", "02", "0102"), Uint8Array.of(1, 2)],
  ["bin 16", sized("c5", "0002", "0102"), Uint8Array.of(1, 2)],
  ["bin 32", sized("c6", "00000002", "0102"), Uint8Array.of(1, 2)],
  ["fixarray", "920102", [1, 2]],
  ["the longest fixarray", `9f${"01".repeat(15)}`, Array.from({ length: 15 }, () => 1)],
  ["array 16", sized("dc", "0002", "0102"), [1, 2]],
  ["array 32", sized("dd", "00000002", "0102"), [1, 2]],
  ["fixmap", "81a16101", { a: 1 }],
  ["map 16", sized("de", "0001", "a16101"), { a: 1 }],
  ["map 32", sized("df", "00000001", "a16101"), { a: 1 }],
];

const meaningOf = (hex: string): { readonly value: unknown } | undefined => decodeValue(fromHex(hex));

withEachCodec(() => {
  describe("a value in each format of msgpack", () => {
    test.each(formats)("%s", (_, hex, value) => {
      expect(meaningOf(hex)).toEqual({ value });
      // In a container, the size of the item matters.
      expect(meaningOf(`92${hex}05`)).toEqual({ value: [value, 5] });
      const whole = hex.length / 2;
      for (let bytes = 0; bytes < whole; bytes++) {
        expect(meaningOf(hex.slice(0, 2 * bytes))).toBeUndefined();
      }
      expect(meaningOf(`${hex}00`)).toBeUndefined();
    });

    test.each([
      ["never used", "c1"],
      ["fixext", "d40100"],
      ["ext 8", "c7010100"],
      ["timestamp", "d6ff00000000"],
      ["infinity, 32 bits", "ca7f800000"],
      ["infinity, 64 bits", "cb7ff0000000000000"],
      ["minus infinity", "cbfff0000000000000"],
      ["not a number", "cb7ff8000000000000"],
      ["text that is no UTF-8", "a1ff"],
      ["a number as a key", "810101"],
      ["a float as a key", "81cb3ff800000000000001"],
      ["a short float as a key", "81ca3fc0000001"],
      ["bytes as a key", "81c4016101"],
      ["nothing as a key", "81c001"],
      ["the prototype as a key", `81a9${Buffer.from("__proto__").toString("hex")}01`],
    ])("%s is refused", (_, hex) => {
      expect(meaningOf(hex)).toBeUndefined();
    });

    test("a map's values may have types that its keys may not have", () => {
      expect(meaningOf("82a16101a162a162")).toEqual({ value: { a: 1, b: "b" } });
      expect(meaningOf("82a16181a16201a163c0")).toEqual({ value: { a: { b: 1 }, c: null } });
    });

    test("nesting is accepted up to the limit", () => {
      expect(meaningOf(`${"91".repeat(limits.nestingDepth)}01`)).not.toBeUndefined();
      expect(meaningOf(`${"91".repeat(limits.nestingDepth + 1)}01`)).toBeUndefined();
    });
  });
});
