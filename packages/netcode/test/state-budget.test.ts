import { expect, test } from "vitest";
import { StateBudget } from "../src/index.js";

const BYTES_PER_SECOND = 1000;
const MANY = 1000;

test("states that wait for a second in a row are a shortage", () => {
  const budget = new StateBudget();
  let nowMs = 0;
  for (let frame = 0; frame < 59; frame++) {
    budget.refill((nowMs += 17), BYTES_PER_SECOND);
    budget.spent(undefined, budget.afford(MANY));
  }
  expect(budget.shortage).toBeUndefined();
  for (let frame = 0; frame < 5; frame++) {
    budget.refill((nowMs += 17), BYTES_PER_SECOND);
    budget.spent(undefined, budget.afford(MANY));
  }
  expect(budget.shortage).toMatchObject({ waiting: MANY - 1 });
});

test.each([1000, 5000, 60_000])("states that wait after a stall of %i ms are none", (stallMs) => {
  const budget = new StateBudget();
  budget.refill(0, BYTES_PER_SECOND);
  budget.spent(100, 10);
  budget.refill(stallMs, BYTES_PER_SECOND);
  // Everything that moved meanwhile is due at once.
  budget.spent(undefined, budget.afford(MANY));
  expect(budget.shortage).toBeUndefined();
  budget.refill(stallMs + 17, BYTES_PER_SECOND);
  budget.spent(undefined, budget.afford(0));
  expect(budget.shortage).toBeUndefined();
});
