import { ConfigError, encodeValue, limits } from "@paceline/protocol";
import { decodeValue } from "../src/bytes/value-codec.js";
import { describe, expect, test } from "vitest";
import { withEachCodec } from "./each-codec.js";
import { fromHex } from "./vectors.js";

function refusalOf(value: unknown): ConfigError {
  try {
    encodeValue(value);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error("was not refused with a ConfigError");
}

function nested(levels: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

const rows = (count: number, length: number): number[][] =>
  Array.from({ length: count }, () => zeros(length));

const membersOf = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));

class Car {
  readonly speed = 1;
}

withEachCodec(() => {
  describe("encodeValue", () => {
    test.each([
      ["a function", () => undefined, "message"],
      ["a function within", { on: [{ click: () => undefined }] }, "message.on[0].click"],
      ["a symbol", [Symbol("s")], "message[0]"],
      ["a bigint", { n: 1n }, "message.n"],
      ["NaN", { cars: [{ x: 0 }, { x: Number.NaN }] }, "message.cars[1].x"],
      ["infinity", [Number.POSITIVE_INFINITY], "message[0]"],
      ["an instance of a class", { car: new Car() }, "message.car"],
      ["a Map", [1, new Map()], "message[1]"],
      ["a Date", new Date(0), "message"],
      ["an array of floats", { v: new Float32Array(2) }, "message.v"],
      ["an object of an odd prototype", Object.create(Object.create(null) as object) as unknown, "message"],
      ["half of a surrogate pair", { name: "a\ud83c" }, "message.name"],
      ["half of a surrogate pair in a name", { me: { "\udfc1": 1 } }, "message.me"],
      ["a property __proto__", JSON.parse('{"a":{"__proto__":1}}') as unknown, "message.a"],
      [
        "a value too deep",
        { a: nested(limits.nestingDepth, 1) },
        `message.a${"[0]".repeat(limits.nestingDepth)}`,
      ],
      ["an array of too many items", { a: zeros(limits.valueItems - 1) }, "message.a"],
      ["arrays that hold too many together", rows(2, limits.valueItems / 2), "message[1]"],
      ["an object of too many members", membersOf(limits.valueItems / 2 + 1), "message"],
    ])("[WF18] refuses %s and names its path", (_, value, field) => {
      expect(refusalOf(value).field).toBe(field);
    });

    test("refuses an array that contains itself", () => {
      const loop: unknown[] = [];
      loop.push(loop);
      expect(refusalOf(loop).expected).toContain(`${limits.nestingDepth} levels`);
    });

    test("starts the path with the caller's name", () => {
      expect(() => encodeValue({ x: Number.NaN }, "state")).toThrow(
        /^state\.x: expected a finite number, got NaN$/,
      );
    });

    test("[WF18] leaves out undefined members, and writes undefined items and holes of arrays as nil", () => {
      const sparse: unknown[] = [1];
      sparse[2] = 3;
      const value = {
        a: undefined,
        b: sparse,
        c: { aim: undefined },
        d: [undefined, { aim: undefined, x: 1 }],
      };
      const { value: received } = decodeValue(encodeValue(value))!;
      expect(received).toStrictEqual({ b: [1, null, 3], c: {}, d: [null, { x: 1 }] });
      expect(received).toStrictEqual(JSON.parse(JSON.stringify(value)));
      expect(decodeValue(encodeValue(undefined))).toEqual({ value: null });
    });

    test("[WF18] writes -0 as 0, as JSON does", () => {
      expect(decodeValue(encodeValue({ x: -0 }))).toStrictEqual({ value: { x: 0 } });
    });

    test("[WF18] calls no member of a value, whatever its name", () => {
      for (const name of ["toJSON", "constructor", "hasOwnProperty", "valueOf"]) {
        const bare = Object.assign(Object.create(null) as Record<string, unknown>, { [name]: 1 });
        expect(decodeValue(encodeValue(bare))).toStrictEqual({ value: { [name]: 1 } });
        const both = { constructor: 1, [name]: 2 };
        expect(decodeValue(encodeValue(both))).toStrictEqual({ value: both });
      }
    });

    test("returns bytes that the next call does not change", () => {
      const first = encodeValue("one");
      encodeValue("two");
      expect(decodeValue(first)).toEqual({ value: "one" });
      expect(first.buffer.byteLength).toBe(first.length);
    });
  });
});

withEachCodec(() => {
  describe("decodeValue", () => {
    test("[WF18] accepts as many levels as encodeValue writes", () => {
      const deepest = nested(limits.nestingDepth, 1);
      expect(decodeValue(encodeValue(deepest))).toEqual({ value: deepest });
      const emptyNinth = nested(limits.nestingDepth, []);
      expect(decodeValue(encodeValue(emptyNinth))).toEqual({ value: emptyNinth });
      const tooDeep = Uint8Array.of(...Array<number>(limits.nestingDepth + 1).fill(0x91), 1);
      expect(decodeValue(tooDeep)).toBeUndefined();
    });

    test("[WF18] accepts as many items as encodeValue writes, and tells their number", () => {
      const full = rows(2, limits.valueItems / 2 - 1);
      const bytes = encodeValue(full);
      let items = 0;
      expect(decodeValue(bytes, (count) => (items += count))).toEqual({ value: full });
      expect(items).toBe(limits.valueItems);
      const tooMany = new Uint8Array(5 + limits.valueItems + 1);
      new DataView(tooMany.buffer).setUint32(1, limits.valueItems + 1);
      tooMany[0] = 0xdd;
      expect(decodeValue(tooMany)).toBeUndefined();
    });

    test.each([
      ["an array of 30 million", "dd01c9c380"],
      ["an array of 4 billion within others", "939192ddffffffff"],
      ["a map of 4 billion", "dfffffffff"],
      ["text of 2 GB", "db7fffffff"],
      ["bytes of 2 GB", "c67fffffff"],
      ["arrays that claim more and more", "dc0100".repeat(8)],
    ])("[WF18] refuses %s without allocating memory for it", (_, hex) => {
      const bytes = fromHex(hex);
      decodeValue(bytes);
      const before = process.memoryUsage();
      for (let round = 0; round < 100; round++) expect(decodeValue(bytes)).toBeUndefined();
      const after = process.memoryUsage();
      // Allocating the claimed lengths would take gigabytes; the assertions take some kilobytes.
      expect(after.heapUsed - before.heapUsed).toBeLessThan(16_000_000);
      expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_000_000);
    });

    test("[WF18] does not change prototypes", () => {
      expect(decodeValue(fromHex("81a95f5f70726f746f5f5f81a16101"))).toBeUndefined();
      const value = decodeValue(encodeValue({ constructor: 1, toString: 2, hasOwnProperty: 3 }))?.value;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
  });
});
