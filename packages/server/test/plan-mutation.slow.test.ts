import { ConfigError } from "@paceline/protocol";
import { decisionTree, planFor, profileOf, type Plan, type Question, type Row } from "@paceline/transport";
import { expect, test } from "vitest";
import { treeCells } from "./plan-cells.js";
import { probe, profileIn, type ProbeCell } from "./plan-probe.js";
import { mutantsOf, type Mutant } from "./tree-mutants.js";

// A row of the decision tree that could be deleted, negated or changed without anything else on the wire is one that
// describes and does nothing.

/** What a cell looks like from outside, and the plans that were in force in it. */
interface Behaviour {
  readonly seen: string;
  readonly plans: readonly Plan[];
}

async function behaviourOf(cell: ProbeCell): Promise<Behaviour> {
  try {
    const { recording, plans } = await probe(cell);
    return { seen: JSON.stringify(recording), plans };
  } catch (error) {
    // A refusal is behaviour; anything else is a fault of the probe, which proves nothing.
    if (!(error instanceof ConfigError)) throw error;
    return { seen: String(error), plans: [] };
  }
}

/** What a plan sets, without how it was found. */
function outputs({
  circumstances: _circumstances,
  inputs: _inputs,
  reasons: _reasons,
  ...rest
}: Plan): string {
  return JSON.stringify(rest);
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

test("every change of the decision tree changes what is seen on the wire", async () => {
  const cells = Object.entries(treeCells);
  // Code that is fetched on demand arrives in real time: with the first play.
  for (const [, cell] of cells) await behaviourOf(cell);
  const before = new Map<string, Behaviour>();
  for (const [name, cell] of cells) before.set(name, await behaviourOf(cell));
  // A cell that is refused would show nothing; from a page by https, that is what there is to see.
  const refused = cells.filter(
    ([name, { page }]) => page === undefined && before.get(name)!.plans.length === 0,
  );
  expect(refused.map(([name]) => before.get(name)!.seen)).toEqual([]);
  for (const [name, cell] of cells) {
    expect((await behaviourOf(cell)).seen === before.get(name)!.seen, `${name} plays alike twice`).toBe(true);
  }

  /** Whether a cell could see the change: where all its plans stay the same, nothing else changes. */
  const isAffected = (cell: ProbeCell, { plans }: Behaviour): boolean => {
    const profile = profileOf(profileIn(cell));
    return (
      plans.length === 0 ||
      plans.some((plan) => outputs(planFor(plan.circumstances, profile)) !== outputs(plan))
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
