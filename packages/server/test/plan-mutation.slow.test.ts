import { ConfigError } from "@paceline/protocol";
import { decisionTree, planFor, profileOf, type Plan, type Question, type Row } from "@paceline/transport";
import { expect, test } from "vitest";
import { treeCells } from "./plan-cells.js";
import { outputsOf } from "./plan-claims.js";
import { probe, profileIn, type ProbeCell } from "./plan-probe.js";
import { mutantsOf, type Mutant } from "./tree-mutants.js";

// A row of the decision tree has no effect if a deletion, negation or change of it shows nowhere on the wire.

/** The observable behaviour of a cell, and the plans that were in force in it. */
interface Behaviour {
  readonly seen: string;
  readonly plans: readonly Plan[];
}

async function behaviourOf(cell: ProbeCell): Promise<Behaviour> {
  try {
    const { recording, plans } = await probe(cell);
    return { seen: JSON.stringify(recording), plans };
  } catch (error) {
    // A refusal is behaviour. Any other error is a fault of the probe, and proves nothing.
    if (!(error instanceof ConfigError)) throw error;
    return { seen: String(error), plans: [] };
  }
}

async function withMutant<Value>({ question, rows }: Mutant, work: () => Promise<Value>): Promise<Value> {
  const writable = question as { -readonly [Key in keyof Question]: Question[Key] };
  const before: readonly Row[] = question.rows;
  writable.rows = rows;
  try {
    return await work();
  } finally {
    writable.rows = before;
  }
}

test("every change of the decision tree changes something on the wire", async () => {
  const cells = Object.entries(treeCells);
  // Code that is fetched on demand arrives in real time: fetch it by a first play.
  for (const [, cell] of cells) await behaviourOf(cell);
  const before = new Map<string, Behaviour>();
  for (const [name, cell] of cells) before.set(name, await behaviourOf(cell));
  // A refused cell shows nothing else. Only for a page by https is the refusal the expected result.
  const refused = cells.filter(
    ([name, { page }]) => page === undefined && before.get(name)!.plans.length === 0,
  );
  expect(refused.map(([name]) => before.get(name)!.seen)).toEqual([]);
  for (const [name, cell] of cells) {
    expect((await behaviourOf(cell)).seen === before.get(name)!.seen, `${name} plays alike twice`).toBe(true);
  }

  /** Returns true if a change affects a cell's plans. With the same plans all else is the same. */
  const isAffected = (cell: ProbeCell, { plans }: Behaviour): boolean => {
    const profile = profileOf(profileIn(cell));
    return (
      plans.length === 0 ||
      plans.some((plan) => outputsOf(planFor(plan.circumstances, profile)) !== outputsOf(plan))
    );
  };
  const isSeen = async (): Promise<boolean> => {
    for (const [name, cell] of cells) {
      const base = before.get(name)!;
      if (isAffected(cell, base) && (await behaviourOf(cell)).seen !== base.seen) return true;
    }
    return false;
  };
  const mutants = mutantsOf(decisionTree);
  const survivors: string[] = [];
  for (const mutant of mutants) if (!(await withMutant(mutant, isSeen))) survivors.push(mutant.name);
  console.log(
    `${mutants.length - survivors.length} of ${mutants.length} changes of the tree were seen on the wire`,
  );
  expect(survivors).toEqual([]);
});
