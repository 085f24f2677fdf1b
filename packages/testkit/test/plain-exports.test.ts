import { expect, test } from "vitest";
import * as testkit from "@paceline/testkit";

test("tests use imports as plain values, not through the runner's getters", () => {
  const found = Object.entries(Object.getOwnPropertyDescriptors(testkit));
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(([, property]) => !("value" in property)).map(([name]) => name)).toEqual([]);
});
