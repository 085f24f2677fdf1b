import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Liveries, liveriesOf } from "../src/race/liveries.js";

test("of two cars with like colours, the one with the lower number keeps its own", () => {
  const colors = liveriesOf([
    [7, "#14b8c4"],
    [2, "#14b8c5"],
    [9, "#e5484d"],
  ]);
  expect(colors.get(2)).toBe("#14b8c5");
  expect(colors.get(9)).toBe("#e5484d");
  expect(colors.get(7)).not.toBe("#14b8c4");
  expect(new Set(colors.values()).size).toBe(3);
});

test("sixteen cars get sixteen colours, whatever the order in which a browser learns of them", () => {
  const color = fc
    .integer({ min: 0, max: 0xff_ffff })
    .map((value) => `#${value.toString(16).padStart(6, "0")}`);
  fc.assert(
    fc.property(
      fc.array(color, { minLength: 16, maxLength: 16 }),
      fc.integer({ min: 0, max: 15 }),
      (wished, turn) => {
        const wanted = wished.map((wish, number) => [number, wish] as const);
        const colors = liveriesOf(wanted);
        expect(new Set(colors.values()).size).toBe(16);
        expect(liveriesOf([...wanted.slice(turn), ...wanted.slice(0, turn)])).toEqual(colors);
      },
    ),
  );
});

test("a car without an introduction has the colour that the caller gives", () => {
  const liveries = new Liveries();
  liveries.update([[1, "#e5484d"]]);
  expect(liveries.colorOf(1, "#000000")).toBe("#e5484d");
  expect(liveries.colorOf(2, "#9aa3ad")).toBe("#9aa3ad");
});
