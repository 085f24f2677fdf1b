import { expect, test } from "vitest";
import { planOutputs, recordingOf, unchangedRecordingOf } from "./plan-outputs.js";

// Sets each output of the plan in turn to its default or its neighbour. The difference must be visible from
// outside. plan-outputs.sim.test.ts has those that nothing else in `npm test` notices.

test.each(Object.entries(planOutputs).filter(([, { isFast }]) => !isFast))(
  "a plan without its output %s differs on the wire",
  async (_, { cell, change }) => {
    expect((await recordingOf(cell, change)) === (await unchangedRecordingOf(cell))).toBe(false);
  },
);

test("the same plan gives the same recording", async () => {
  for (const { cell } of Object.values(planOutputs))
    expect((await recordingOf(cell)) === (await unchangedRecordingOf(cell))).toBe(true);
});
