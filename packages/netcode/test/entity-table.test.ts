import { EntityTable } from "@paceline/netcode";
import { vacate } from "../src/entity-table.js";
import { describe, expect, test } from "vitest";
import { Drone, Sign } from "./definitions.js";

describe("a table", () => {
  test("fills a new row with the value nearest to zero in each component's range", () => {
    const table = new EntityTable(Sign);
    expect([...table.stateOf(table.allocate())]).toEqual([0, 0, 0, 2, 0]);
    expect([...table.shownOf(0)]).toEqual([0, 0, 0, 2, 0]);
  });

  test("keeps every row when it grows", () => {
    const table = new EntityTable(Drone);
    for (let count = 0; count < 100; count++) {
      const row = table.allocate();
      table.stateOf(row).fill(row + 1);
      table.shownOf(row).fill(-row - 1);
    }
    for (let row = 0; row < 100; row++) {
      expect(new Set(table.stateOf(row))).toEqual(new Set([row + 1]));
      expect(new Set(table.shownOf(row))).toEqual(new Set([-row - 1]));
    }
  });

  test("grows from any capacity", () => {
    const table = new EntityTable(Drone, 1);
    const rows = Array.from({ length: 5 }, () => table.allocate());
    expect(rows).toEqual([0, 1, 2, 3, 4]);
    expect(table.stateOf(4)).toHaveLength(table.width);
  });

  test("reuses a free row, cleared, before it takes a new one", () => {
    const table = new EntityTable(Drone);
    const [, second] = [table.allocate(), table.allocate(), table.allocate()];
    table.stateOf(second).fill(7);
    table.release(second);
    expect(table.allocate()).toBe(second);
    expect([...table.stateOf(second)]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(table.allocate()).toBe(3);
  });
});

test("a vacated place keeps its values when its row is reused", () => {
  const table = new EntityTable(Drone);
  const place = { table, row: table.allocate() };
  table.stateOf(place.row).fill(3);
  table.shownOf(place.row).fill(4);
  vacate(place);
  const next = table.allocate();
  table.stateOf(next).fill(9);
  expect(next).toBe(0);
  expect(new Set(place.table.stateOf(place.row))).toEqual(new Set([3]));
  expect(new Set(place.table.shownOf(place.row))).toEqual(new Set([4]));
  place.table.stateOf(place.row).fill(5);
  expect(new Set(table.stateOf(next))).toEqual(new Set([9]));
});
