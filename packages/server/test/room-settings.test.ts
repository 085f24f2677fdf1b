import { readFileSync } from "node:fs";
import { Room } from "@paceline/server";
import { expect, it } from "vitest";
import { settingRanges } from "../src/room/class-authority.js";

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
