import { expect, test } from "vitest";
import { judge } from "../src/arena/judge.js";

const STEP_MS = 50;
const FRAME_MS = 20;
const ID = 7;

/** A cell that moves by 1 m in each step. */
const steps = Array.from({ length: 40 }, (_, step) => [step * STEP_MS, 1, ID, step, 0]).flat();

function framesOf(shownX: (ms: number) => number): number[] {
  return Array.from({ length: 90 }, (_, frame) => {
    const ms = frame * FRAME_MS + 5;
    return [0, ms, 1, ID, shownX(ms), 0];
  }).flat();
}

test("a page that draws each cell where it is has no error, and nothing stands still", () => {
  const { errorMP50, errorMP95, frozen, samples } = judge(
    steps,
    framesOf((ms) => ms / STEP_MS),
  );
  expect([errorMP50, errorMP95, frozen]).toEqual([expect.closeTo(0), expect.closeTo(0), 0]);
  expect(samples).toBe(90);
});

test("a page that draws what was true two steps ago is wrong by as much", () => {
  expect(
    judge(
      steps,
      framesOf((ms) => ms / STEP_MS - 2),
    ).errorMP50,
  ).toBeCloseTo(2);
});

test("frames between two states stand still if the page draws states as they come", () => {
  const { frozen } = judge(
    steps,
    framesOf((ms) => Math.floor(ms / STEP_MS)),
  );
  expect(frozen).toBeCloseTo(1 - FRAME_MS / STEP_MS, 1);
});

test("a cell that the server does not have is not judged", () => {
  const others = framesOf(() => 0).map((number, at) => (at % 6 === 3 ? ID + 1 : number));
  expect(judge(steps, others).samples).toBe(0);
});
