import type * as Transport from "@paceline/transport";
import { afterEach, expect, test, vi } from "vitest";
import { planOutputs } from "./plan-outputs.js";
import { probe, type ProbeCell } from "./plan-probe.js";

// Sets each output of the plan in turn to its default or its neighbour. The difference must be visible from
// outside.

const altered = vi.hoisted(() => ({ change: (plan: Transport.Plan): Transport.Plan => plan }));

vi.mock("@paceline/transport", async (original) => {
  const transport = await original<typeof Transport>();
  const planFor: typeof Transport.planFor = (...args) => altered.change(transport.planFor(...args));
  return { ...transport, planFor };
});

afterEach(() => void (altered.change = (plan) => plan));

async function seenIn(cell: ProbeCell): Promise<string> {
  try {
    return JSON.stringify((await probe(cell)).recording);
  } catch (error) {
    return String(error);
  }
}

const unchanged = new Map<ProbeCell, string>();

async function unchangedIn(cell: ProbeCell): Promise<string> {
  const known = unchanged.get(cell);
  if (known !== undefined) return known;
  // The first play fetches the code that is loaded on demand.
  await seenIn(cell);
  const before = await seenIn(cell);
  unchanged.set(cell, before);
  return before;
}

test.each(Object.entries(planOutputs))(
  "a plan without its output %s differs on the wire",
  async (_, { cell, change }) => {
    const before = await unchangedIn(cell);
    altered.change = change;
    expect((await seenIn(cell)) === before).toBe(false);
  },
);

test("the same plan gives the same recording", async () => {
  for (const [cell, before] of unchanged) expect((await seenIn(cell)) === before).toBe(true);
});
