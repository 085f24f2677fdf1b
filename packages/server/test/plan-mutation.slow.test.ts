import { ConfigError } from "@paceline/protocol";
import { decisionTree, planFor, profileOf, type Plan, type Question, type Row } from "@paceline/transport";
import { expect, test } from "vitest";
import { treeCells } from "./plan-cells.js";
import { probe, profileIn, type ProbeCell } from "./plan-probe.js";
import { mutantsOf, type Mutant } from "./tree-mutants.js";

// A row of the decision tree that could be deleted, negated or changed without anything else on the wire is one that
// describes and does nothing.

/**
 * Changes that nothing on the wire tells apart, each with its reason: a debt, not a licence. One that is seen after all
 * fails the test, too.
 */
const unseen: Readonly<Record<string, string>> = {
  "ENTRY-1: deleted": "no room can be without a WebSocket: the client refuses such an option",
  "CONTENT-2: input newest-wins": "inputs are those of lockstep, which the probe does not play",
  "PATHS-4: deleted": "without WebRTC no direct link opens, whatever is planned",
  "SERVER-1: deleted": "what must arrive stays on the WebSocket: no class is left for WebRTC",
  "SERVER-1: other link to the server": "the same",
  "SERVER-2: deleted": "without WebRTC none opens to the server, whatever is planned",
  "SERVER-2: other link to the server": "the same",
  "BASELINES-1: deleted": "the server chooses the baselines of what it decides",
  "BASELINES-1: negated": "a room decides by the number of receivers",
  "BASELINES-2: deleted": "states that all arrive have no baselines",
  "BASELINES-2: negated": "a room decides by the number of receivers",
  "BASELINES-4: other baselines": "a room decides by the number of receivers",
  "JITTER-1: deleted": "the delay of the plan counts before one was measured, and jitter is known later",
  "JITTER-1: interpolationDelayMs times 1": "the same",
};

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
  const [wordsAlone, survivors]: [string[], string[]] = [[], []];
  for (const mutant of mutants) {
    if (await withMutant(mutant, isSeen)) continue;
    (saysAndSetsNothing(mutant) ? wordsAlone : survivors).push(mutant.name);
  }
  const seen = mutants.length - wordsAlone.length - survivors.length;
  console.log(`${seen} of ${mutants.length} changes of the tree were seen on the wire`);
  console.log(
    `${wordsAlone.length} are of rows that only say that something is unknown: ${wordsAlone.join("; ")}`,
  );
  for (const name of survivors) console.log(`survived: ${name}: ${unseen[name] ?? "not known before"}`);
  expect(survivors).toEqual(Object.keys(unseen));
});

/** A row for "unknown", which changes nothing and is there for its words in `explain()`. */
function saysAndSetsNothing({ name, question }: Mutant): boolean {
  const { when, sets, answer } = question.rows.find(({ id }) => name.startsWith(`${id}:`))!;
  return (
    sets === undefined &&
    answer === undefined &&
    Object.values(when).some((values) => values.includes("unknown" as never))
  );
}
