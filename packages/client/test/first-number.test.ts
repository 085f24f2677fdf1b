import { firstNumber } from "@paceline/client";
import { expect, test } from "vitest";

test("the first member is the one with the lowest number, until numbers have begun again", () => {
  expect(firstNumber([7, 3, 12])).toBe(3);
  expect(firstNumber([5])).toBe(5);
  // Numbers end at 65,535, and the next newcomer gets 1.
  expect(firstNumber([2, 65_534, 1, 65_530])).toBe(65_530);
  expect(firstNumber([])).toBe(0);
});

test("all members find the same one, whatever the order of their lists", () => {
  const numbers = [65_533, 65_535, 1, 4];
  const found = numbers.map((own) =>
    firstNumber([own, ...numbers.filter((other) => other !== own).toReversed()]),
  );
  expect(found).toEqual([65_533, 65_533, 65_533, 65_533]);
});
