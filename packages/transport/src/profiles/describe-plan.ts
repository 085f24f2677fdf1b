import type { PlanRow } from "./explain-plan.js";
import type { Plan, Reason } from "./plan.js";
import { treeWords } from "./tree-words.js";

/** Every question that the tree asked, with its answer and the reason. */
export function describePlan(plan: Plan): PlanRow[] {
  return plan.reasons.map(answer);
}

function answer({ question, row }: Reason): PlanRow {
  const words = treeWords.find((candidate) => candidate.question === question);
  const { choice, reason } = words?.rows[row] ?? { choice: row, reason: "" };
  return { about: words?.ask ?? question, choice, reason: `${reason} [${row}]` };
}
