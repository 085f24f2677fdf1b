import {
  EntityRows,
  StateHistory,
  angle,
  defineEntity,
  limits,
  planState,
  restore,
  vec2,
  type EntityDefinition,
} from "@paceline/protocol";
import { expect, test } from "vitest";

const Ship = defineEntity(
  "ship",
  {
    position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
  },
  { motion: "turn" },
) as unknown as EntityDefinition;

function sent(state: readonly number[], hasRates = true): number[] {
  const plan = planState(Ship, { tickHz: 60, hasRates });
  const history = new StateHistory({ plans: [plan] });
  const entity = history.spawn(0, plan);
  history.write(entity, 0, state);
  const read = new Float32Array(state.length);
  restore(plan, entity.rows, entity.find(0), read);
  return [...read];
}

test("[WF19] derived components are quantised by their source's precision, and clamped", () => {
  const read = sent([1, 2, 0.5, 3.004, -4.006, 0.3, -0.8, 0.0059]);
  const expected = [1, 2, 0.5, 3, -4.01, 0.5, -1, 0.004];
  expected.forEach((value, index) => expect(read[index]).toBeCloseTo(value, 3));
  const wild = sent([0, 0, 0, 1e9, -1e9, Infinity, Number.NaN, -1e9]);
  [2621.43, -2621.43, 131_071.5, 0, -1048.572].forEach((value, index) => {
    expect(wild[3 + index]).toBeCloseTo(value, 1);
  });
});

test("a plan without rates does not send derived components", () => {
  expect(sent([1, 2, 0.5, 3, 4, 5, 6, 7], false).slice(3)).toEqual([0, 0, 0, 0, 0]);
});

test("[WF9] a state is kept until a newer one of the same slot replaces it", () => {
  const rows = new EntityRows(0, planState(Ship, { tickHz: 60 }), limits.historyTicks);
  rows.reserve(5);
  rows.reserve(5 + limits.historyTicks - 1);
  expect(rows.find(5)).toBeGreaterThanOrEqual(0);
  rows.reserve(5 + limits.historyTicks);
  expect(rows.find(5)).toBe(-1);
  expect(rows.reserve(5)).toBe(-1);
});
