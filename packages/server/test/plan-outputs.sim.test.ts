import { expect, test } from "vitest";
import { planOutputs, recordingOf, unchangedRecordingOf } from "./plan-outputs.js";

test.each(Object.entries(planOutputs).filter(([, { isFast }]) => isFast))(
  "a plan without its output %s differs on the wire",
  async (_, { cell, change }) => {
    const before = await unchangedRecordingOf(cell);
    expect((await recordingOf(cell, change)) === before).toBe(false);
    expect((await recordingOf(cell)) === before).toBe(true);
  },
);
