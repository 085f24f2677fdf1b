import type * as Transport from "@paceline/transport";
import { afterEach, expect, test, vi } from "vitest";
import { planOutputs } from "./plan-outputs.js";
import { probe, type ProbeCell } from "./plan-probe.js";

// Each output of the plan in turn is set to its default or its neighbour: somebody outside has to see the difference.

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
  // What is fetched on demand is here from the second time on.
  await seenIn(cell);
  const before = await seenIn(cell);
  unchanged.set(cell, before);
  return before;
}

test.each(Object.entries(planOutputs))(
  "without its output %s a plan is another one on the wire",
  async (_, { cell, change }) => {
    const before = await unchangedIn(cell);
    altered.change = change;
    expect((await seenIn(cell)) === before).toBe(false);
  },
);

test("a plan that stays the same is played alike", async () => {
  for (const [cell, before] of unchanged) expect((await seenIn(cell)) === before).toBe(true);
});
