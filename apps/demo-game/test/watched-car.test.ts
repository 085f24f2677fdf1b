import { expect, test } from "vitest";
import { WatchedCar } from "../src/race/standings.js";

const runners = (...numbers: number[]) =>
  numbers.map((number) => ({ number, progressM: 0, entry: undefined }));

test("a spectator watches the leader, or, after a choice, that car in any place", () => {
  const watched = new WatchedCar();
  expect(watched.numberIn([])).toBeUndefined();
  watched.choose(1, []);
  expect(watched.numberIn(runners(7, 2, 5))).toBe(7);
  expect(watched.numberIn(runners(2, 7, 5))).toBe(2);
  watched.choose(1, runners(2, 7, 5));
  expect(watched.numberIn(runners(2, 7, 5))).toBe(5);
  expect(watched.numberIn(runners(7, 2, 5))).toBe(5);
});

test("the choice wraps in both directions, and falls back to the leader if the car has left", () => {
  const watched = new WatchedCar();
  const order = runners(7, 2, 5);
  const seen = [1, 1, 1, -1, -1].map((step) => {
    watched.choose(step as 1 | -1, order);
    return watched.numberIn(order);
  });
  expect(seen).toEqual([2, 5, 7, 5, 2]);
  expect(watched.numberIn(runners(5, 7))).toBe(5);
});
