import { readFileSync } from "node:fs";
import { Room, angle, defineEntity, type EntityDefinition } from "@paceline/server";
import { expect, it } from "vitest";
import { assertRoom, settingRanges } from "../src/room/room-settings.js";

class Plain extends Room {}

it("has the defaults and ranges that docs/guides/authority.md lists", () => {
  const guide = readFileSync(new URL("../../../docs/guides/authority.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Settings$([^]*?)^## /m.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (\d+) +\| (\d[^|]*?) +\|/gm)];
  const listed = rows.map(([, name = "", initial, range]) => [name, Number(initial), range]);
  const room = new Plain();
  const actual = Object.entries(settingRanges).map(([name, [least, most, unit]]) => [
    name,
    room[name as keyof typeof settingRanges],
    `${least} to ${most} ${unit}`,
  ]);
  expect(listed.toSorted()).toEqual(actual.toSorted());
});

const kindNamed = (name: string): EntityDefinition =>
  defineEntity(name, { turn: angle({ unit: "rad", precision: 0.1 }) });

it.each<[entities: unknown, message: string]>([
  [{ Food: kindNamed("food") }, "entities: expected a list of definitions by defineEntity, got an object"],
  [kindNamed("food"), "entities: expected a list of definitions by defineEntity, got an object"],
  [undefined, "entities: expected a list of definitions by defineEntity, got undefined"],
  [[kindNamed("food"), "car"], 'entities[1]: expected a definition by defineEntity, got "car"'],
  [[undefined], "entities[0]: expected a definition by defineEntity, got undefined"],
  [
    [kindNamed("food"), kindNamed("car"), kindNamed("food")],
    'entities[2]: expected a kind with a name of its own, got "food"',
  ],
])("refuses entities that are no list of different kinds: %#", (entities, message) => {
  class Wrong extends Plain {
    override readonly entities = entities as readonly EntityDefinition[];
  }
  expect(() => assertRoom(new Wrong())).toThrow(message);
});
