import type { PlanRow } from "./explain-plan.js";
import type { Plan, Reason } from "./plan.js";
import { treeWords } from "./tree-words.js";

// One chunk: code that draws the tree needs its words too.
export { treeWords };

/** Returns every question that the tree asked, with its answer and the reason. */
export function describePlan(plan: Plan): PlanRow[] {
  return plan.reasons.map((reason) => answer(reason, plan));
}

function answer({ question, row }: Reason, { inputs }: Plan): PlanRow {
  const words = treeWords.find((candidate) => candidate.question === question);
  const known = words?.rows[row] ?? { choice: row, reason: "" };
  const isUnknown = known.unknown !== undefined && inputs[known.unknown.input] === "unknown";
  const { choice, reason } = isUnknown ? known.unknown : known;
  return { about: words?.ask ?? question, choice, reason: `${reason} [${row}]` };
}
