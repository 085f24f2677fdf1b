import { expect, test } from "vitest";
import { seededRandom } from "../../src/simulated/index.js";
import { splitMix64, Xoshiro128 } from "../../src/simulated/random.js";

test("the generator gives the published first values of xoshiro128** for the state 1, 2, 3, 4", () => {
  const generator = new Xoshiro128(Uint32Array.of(1, 2, 3, 4));
  const values = Array.from({ length: 10 }, () => generator.uint32());
  expect(values).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ]);
});

test("the state comes from the published first value of SplitMix64 for seed 0", () => {
  const [low = 0, high = 0] = splitMix64(0n);
  expect((BigInt(high) << 32n) | BigInt(low)).toBe(0xe220_a839_7b1d_cdafn);
});

test("the same seed gives the same stream, another seed another", () => {
  const draw = (seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 20 }, () => random.next());
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(-7)).not.toEqual(draw(7));
});

test("a fork does not repeat its parent, and draws only its seed from it", () => {
  const parent = seededRandom(1);
  const same = seededRandom(1);
  const child = parent.fork();
  same.fork();
  for (let i = 0; i < 100; i += 1) child.next();
  const rest = Array.from({ length: 10 }, () => parent.next());
  expect(rest).toEqual(Array.from({ length: 10 }, () => same.next()));
  expect(rest).not.toContain(child.next());
});

test("whole numbers reach both ends of their range, and never exceed them", () => {
  const random = seededRandom(3);
  const seen = new Set(Array.from({ length: 500 }, () => random.int(-2, 3)));
  expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
  expect(random.int(5, 5)).toBe(5);
});

test("bytes have the requested length and use all values", () => {
  const bytes = seededRandom(4).bytes(20_000);
  expect(bytes).toHaveLength(20_000);
  expect(new Set(bytes).size).toBe(256);
  expect(seededRandom(4).bytes(0)).toHaveLength(0);
});

test.each([
  ["seed", () => seededRandom(0.5)],
  ["min, max", () => seededRandom(1).int(3, 2)],
  ["min, max", () => seededRandom(1).int(0, 0.5)],
  ["p", () => seededRandom(1).bool(1.01)],
  ["p", () => seededRandom(1).bool(Number.NaN)],
  ["count", () => seededRandom(1).bytes(-1)],
])("a wrong %s is refused by name", (field, call) => {
  expect(call).toThrow(expect.objectContaining({ name: "ConfigError", field }));
});
