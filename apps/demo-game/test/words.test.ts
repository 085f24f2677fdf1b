import { expect, test } from "vitest";
import { COLORS } from "../src/game/settings.js";
import { colorName, colorNews } from "../src/race/color-names.js";
import { liveriesOf } from "../src/race/liveries.js";
import { pathsInWords } from "../src/ui/network-badge.js";

test("a driver is told of another colour than the chosen one, and of no change otherwise", () => {
  const [red = "", yellow = ""] = COLORS;
  const painted = liveriesOf([
    [1, red],
    [2, red],
    [3, yellow],
  ]);
  expect(colorNews(red, painted.get(1)!)).toBeUndefined();
  expect(colorNews(yellow, painted.get(3)!)).toBeUndefined();
  expect(colorNews(red, painted.get(2)!)).toEqual({
    title: "Your car is blue in this race",
    text: "Another car has a colour like your red.",
  });
});

test("every colour that a car can get in place of another one has a name", () => {
  const sixteen = liveriesOf(Array.from({ length: 16 }, (_, number) => [number, "#e5484d"] as const));
  for (const color of sixteen.values()) expect(colorName(color)).not.toContain("#");
});

test.each([
  [{ direct: 0, turn: 0, relayed: 0 }, 0, "alone on the track"],
  [{ direct: 4, turn: 0, relayed: 0 }, 0, "4 direct"],
  [{ direct: 0, turn: 1, relayed: 0 }, 0, "1 via TURN"],
  [{ direct: 1, turn: 1, relayed: 2 }, 0, "1 direct · 1 via TURN · 2 via relay"],
  [{ direct: 1, turn: 0, relayed: 1 }, 2, "2 computer drivers · 1 direct · 1 via relay"],
])("the badge says of %o with %i computer drivers: %s", (counts, computers, text) => {
  expect(pathsInWords(counts, computers)).toBe(text);
});
