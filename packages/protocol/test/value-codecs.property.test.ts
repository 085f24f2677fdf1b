import { isDeepStrictEqual } from "node:util";
import { limits, plainDataProblem, smallCodec } from "@paceline/protocol";
import { msgpackrCodec } from "@paceline/protocol/msgpackr";
import { anything, array, assert, constantFrom, integer, oneof, property, string, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { mutationsOf, plainValue } from "./arbitraries.js";
import { fromHex, toHex, vectors } from "./vectors.js";

const SEED = 20_261_128;
const VALUES = 4000;
const INPUTS = 16_000;
const BYTE_ORDER_MARK = "\ufeff";

const isPlain = (value: unknown): boolean => plainDataProblem(value, "value") === undefined;

/** What a reader answers, with the items for which it charges the sender. */
function answerOf(codec: typeof smallCodec, bytes: Uint8Array) {
  const charges: number[] = [];
  const read = codec.read(bytes, (items) => charges.push(items));
  return { read, charges };
}

/** Returns how the codecs differ over a value; undefined if they do not. */
function differenceOver(value: unknown): string | undefined {
  const bytes = Buffer.from(smallCodec.write(value));
  const others = Buffer.from(msgpackrCodec.write(value));
  if (!bytes.equals(others)) return `${toHex(bytes)}, and msgpackr writes ${toHex(others)}`;
  return isDeepStrictEqual(answerOf(smallCodec, bytes), answerOf(msgpackrCodec, bytes))
    ? undefined
    : `${toHex(bytes)} is read differently`;
}

/** Objects without a prototype, undefined in any place, holes, and members named as methods are. */
const odd = anything({ withNullPrototype: true, withSparseArray: true, withBoxedValues: false, maxDepth: 4 });
const named = tuple(
  constantFrom("toJSON", "constructor", "hasOwnProperty", "size", "length"),
  plainValue(3),
).map(([name, value]) => [
  { [name]: value },
  Object.assign(Object.create(null) as object, { [name]: value }),
]);
/** Near the lengths at which the format changes. */
const lengths = [0, 1, 15, 16, 31, 32, 63, 64, 65, 127, 128, 255, 256, 257, 0xffff, 0x10000];
const edges = [5, 7, 8, 15, 16, 31, 32, 52, 53, 63].flatMap((bits) => [2 ** bits, -(2 ** bits)]);
const number = tuple(constantFrom(...edges, 0, -0), integer({ min: -2, max: 2 })).map(
  ([edge, by]) => edge + by,
);
const list = tuple(
  constantFrom(14, 15, 16, 17, 255, 256),
  array(plainValue(1), { minLength: 1, maxLength: 3 }),
).map(([length, items]) => {
  const all = Array.from({ length }, (_, index) => items[index % items.length]);
  return [all, Object.fromEntries(all.map((item, index) => [`m${index}`, item]))];
});
const text = string({ unit: "binary", maxLength: 100 }).map((value) => [value, { [value]: value }]);
const plain = oneof(
  { weight: 4, arbitrary: plainValue(limits.nestingDepth) },
  { weight: 2, arbitrary: odd },
  { weight: 2, arbitrary: number },
  { weight: 1, arbitrary: named },
  { weight: 1, arbitrary: list },
  { weight: 1, arbitrary: text },
).filter(isPlain);

describe("the small codec and msgpackr", () => {
  test("[WF18] write the same bytes of the same value, and read them alike", () => {
    assert(
      property(plain, (value) => {
        expect(differenceOver(value)).toBeUndefined();
      }),
      { seed: SEED, numRuns: VALUES },
    );
  });

  test.each(lengths)("[WF18] do so for texts, bytes, lists and objects of length %s", (length) => {
    const texts = ["a", "\u00e9", "\u20ac", "\u{1f3c1}"].map((character) => character.repeat(length));
    const numbers = Array.from({ length }, (_, index) => index);
    const object = Object.fromEntries(numbers.map((number) => [`m${number}`, number]));
    for (const value of [...texts, new Uint8Array(length), numbers, object]) {
      expect(differenceOver(value)).toBeUndefined();
    }
  });

  test("[WF18] decide alike what is malformed, read the same values and charge for the same items", () => {
    const files = ["values", "payloads", "controls"];
    const known = files.flatMap(
      (file) => vectors(file) as { readonly hex: string; readonly reader?: string }[],
    );
    const malformed = (vectors("malformed") as typeof known).filter(({ reader }) => reader === "value");
    const bytes = [...known, ...malformed].map(({ hex }) => fromHex(hex));
    const seed = oneof(
      constantFrom(...bytes),
      plainValue(4).map((value) => smallCodec.write(value).slice()),
      plain.map((value) => smallCodec.write(value).slice(0, 400)),
    );
    const counts = { accepted: 0, refused: 0 };
    assert(
      property(mutationsOf(seed), (input) => {
        const answer = answerOf(smallCodec, input);
        counts[answer.read ? "accepted" : "refused"] += 1;
        expect(isDeepStrictEqual(answer, answerOf(msgpackrCodec, input))).toBe(true);
      }),
      { seed: SEED, numRuns: INPUTS },
    );
    expect(counts.accepted).toBeGreaterThan(1000);
    expect(counts.refused).toBeGreaterThan(1000);
  });

  test.each([1, 21, 22, 61, 62, 63, 64, 300, 0x10000])(
    "[WF18] keep U+FEFF at the start of a text and of a key of 1 + %s characters",
    (length) => {
      const text = BYTE_ORDER_MARK + "a".repeat(length);
      const value = [text, { [text]: text }];
      for (const codec of [smallCodec, msgpackrCodec]) {
        expect(codec.read(codec.write(value).slice())).toStrictEqual({ value });
      }
    },
  );

  test("[WF18] return views of the bytes that they read", () => {
    const packet = Uint8Array.of(0, 0xc4, 2, 7, 8, 0);
    for (const codec of [smallCodec, msgpackrCodec]) {
      const { value } = codec.read(packet.subarray(1, 5))!;
      expect(value).toStrictEqual(Uint8Array.of(7, 8));
      expect((value as Uint8Array).buffer).toBe(packet.buffer);
    }
  });
});
