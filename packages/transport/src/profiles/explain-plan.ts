import type { Plan } from "./plan.js";
import type { QuestionWords } from "./tree-words.js";

/** A choice, its subject and its reason: a row for `console.table`. */
export interface Explanation {
  readonly about: string;
  readonly choice: string;
  readonly reason: string;
}

/**
 * Explains the plan for people: returns every question with its answer and the reason. Loads the words at the
 * first call, and rejects if that fails.
 */
export async function explainPlan(plan: Plan): Promise<Explanation[]> {
  const { describePlan } = await import("./tree-words.js");
  return describePlan(plan);
}

/**
 * Returns the words of all questions of the decision tree and of all their answers. Loads them at the first
 * call.
 */
export async function fetchTreeWords(): Promise<readonly QuestionWords[]> {
  return (await import("./tree-words.js")).treeWords;
}
