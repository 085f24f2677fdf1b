import { type Arbitrary, array, assert, double, integer, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { SteadyBand } from "../../src/profiles/steady-band.js";

const bands = [
  { name: "low", from: 0 },
  { name: "raised", from: 10 },
  { name: "high", from: 50 },
] as const;
const names = bands.map(({ name }) => name as string);
const PERIOD_MS = 1000;

interface Change {
  readonly atMs: number;
  readonly from: number;
  readonly to: number;
}

function changesOf(values: readonly number[], periodMs = PERIOD_MS): Change[] {
  const band = new SteadyBand(bands);
  const changes: Change[] = [];
  values.forEach((value, index) => {
    const from = names.indexOf(band.name);
    const to = names.indexOf(band.update(value, index * periodMs));
    if (to !== from) changes.push({ atMs: index * periodMs, from, to });
  });
  return changes;
}

const anyValue = double({ min: 0, max: 100, noNaN: true });
/** Values that stay for a while, because only those enter or leave a band, with a jump now and then. */
const anyValues: Arbitrary<number[]> = array(tuple(anyValue, integer({ min: 1, max: 20 })), {
  maxLength: 30,
}).map((runs) => runs.flatMap(([value, length]) => Array.from({ length }, () => value)));

describe("a steady band", () => {
  test("never turns back within the dwell of the new direction, for all values", () => {
    assert(
      property(anyValues, (values) => {
        const changes = changesOf(values);
        // Further bands in the same direction have their own clocks: "raised" may be seconds older than
        // "high".
        const turns = changes.filter(({ from, to }, index) => {
          const before = changes[index - 1];
          return before === undefined || before.to > before.from !== to > from;
        });
        for (const turn of turns) {
          const sinceMs = changes[changes.indexOf(turn) - 1]?.atMs ?? 0;
          expect(turn.atMs - sinceMs).toBeGreaterThanOrEqual(turn.to > turn.from ? 3000 : 15_000);
        }
      }),
    );
  });

  test("changes to a band if all values of the dwell justify it", () => {
    assert(
      property(anyValues, (values) => {
        const band = new SteadyBand(bands);
        for (const [index, value] of values.entries()) {
          const at = names.indexOf(band.update(value, index * PERIOD_MS));
          const worst = index < 15 ? Infinity : Math.max(...values.slice(index - 15, index + 1));
          const best = index < 3 ? -Infinity : Math.min(...values.slice(index - 3, index + 1));
          const entered = bands.filter(({ from }) => best >= from).length;
          const kept = bands.filter(({ from }) => worst >= from * 0.7).length;
          expect(at + 1).toBeGreaterThanOrEqual(entered);
          expect(at + 1).toBeLessThanOrEqual(kept);
        }
      }),
    );
  });

  test("changes to a band only if all values of the dwell justify it", () => {
    assert(
      property(anyValues, (values) => {
        for (const { atMs, from, to } of changesOf(values)) {
          const last = atMs / PERIOD_MS;
          const during = values.slice(last - (to > from ? 3 : 15), last + 1);
          const isJustified =
            to > from ? Math.min(...during) >= bands[to]!.from : Math.max(...during) < bands[to + 1]!.from;
          expect(isJustified).toBe(true);
        }
      }),
    );
  });

  test("noise between the limits for leaving and entering changes nothing, for hours", () => {
    const noise = double({ min: 7, max: 10, noNaN: true, maxExcluded: true });
    assert(
      property(array(noise, { minLength: 100, maxLength: 500 }), (values) => {
        expect(changesOf(values)).toEqual([]);
        // It does not leave an entered band either.
        expect(changesOf([20, 20, 20, 20, ...values])).toHaveLength(1);
      }),
    );
  });

  test("noise around a limit enters a band at most once, and does not leave it while some values are bad", () => {
    const around = double({ min: 8, max: 12, noNaN: true });
    assert(
      property(array(around, { minLength: 100, maxLength: 500 }), (values) => {
        expect(changesOf(values).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("a band is entered after three bad seconds and left after fifteen good ones, for all earlier values", () => {
    assert(
      property(array(anyValue, { maxLength: 100 }), (values) => {
        const band = new SteadyBand(bands);
        let atMs = 0;
        const hold = (value: number, forMs: number): string => {
          const endMs = atMs + forMs;
          for (; atMs <= endMs; atMs += PERIOD_MS) band.update(value, atMs);
          return band.name;
        };
        for (const value of values) hold(value, 0);
        expect(hold(80, 4000)).toBe("high");
        expect(hold(1, 16_000)).toBe("low");
      }),
    );
  });

  test("a raised value just before does not delay the band above it", () => {
    expect(changesOf([10, 80, 80, 80, 80, 80])).toEqual([
      { atMs: 3000, from: 0, to: 1 },
      { atMs: 4000, from: 1, to: 2 },
    ]);
  });

  test("a value between two limits does not delay leaving the upper band", () => {
    const values = [80, 80, 80, 80, 20, ...Array.from({ length: 17 }, () => 1)];
    expect(changesOf(values)).toEqual([
      { atMs: 3000, from: 0, to: 2 },
      { atMs: 19_000, from: 2, to: 1 },
      { atMs: 20_000, from: 1, to: 0 },
    ]);
  });

  test("a value at the limit is in the band, and a single bad value changes nothing", () => {
    expect(changesOf([10, 10, 10, 10])).toEqual([{ atMs: 3000, from: 0, to: 1 }]);
    expect(changesOf([0, 100, 0, 0, 100, 0])).toEqual([]);
  });
});
