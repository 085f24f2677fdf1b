import { EntityRows, defineEntity, planState, uint, type EntityDefinition } from "@paceline/protocol";
import { expect, test } from "vitest";

const Mark = defineEntity("mark", { level: uint({ range: [0, 100] }) }) as unknown as EntityDefinition;
const CAPACITY = 4;
const newRows = (): EntityRows => new EntityRows(0, planState(Mark, { tickHz: 20 }), CAPACITY);
/** Ticks of every slot, near 0 and where 32 bits wrap. */
const TICKS = [0, 1, 2, 3, 4, 0x7fff_ffff, 0x8000_0000, 0xffff_fffc, 0xffff_fffd, 0xffff_fffe, 0xffff_ffff];

test.each([
  ["new rows", newRows()],
  ["cleared rows", clearedRows()],
])("%s have no state of any tick", (_, rows) => {
  for (const tick of TICKS) expect({ tick, row: rows.find(tick) }).toEqual({ tick, row: -1 });
});

test.each(TICKS)("the state of tick %i has a place of its own until a newer one takes it", (tick) => {
  const rows = newRows();
  const places = [0, 1, 2, 3].map((ahead) => rows.reserve((tick + ahead) >>> 0));
  expect(new Set(places).size).toBe(CAPACITY);
  places.forEach((place, ahead) => {
    rows.rows.fill(ahead, place, place + rows.plan.width);
    expect(rows.find((tick + ahead) >>> 0)).toBe(place);
  });
  expect(rows.reserve((tick + CAPACITY) >>> 0)).toBe(places[0]);
  expect(rows.find(tick)).toBe(-1);
  expect(rows.reserve(tick)).toBe(-1);
  expect(rows.isSameAt((tick + 1) >>> 0, (tick + 2) >>> 0)).toBe(false);
});

function clearedRows(): EntityRows {
  const rows = newRows();
  for (const tick of TICKS) rows.reserve(tick);
  rows.clear();
  return rows;
}
