import type { Plan } from "./plan.js";
import type { QuestionWords } from "./question-words.js";

/** One line of an explanation, made for `console.table`. */
export interface PlanRow {
  readonly about: string;
  readonly choice: string;
  readonly reason: string;
}

/**
 * The plan for people: every question with its answer and reason, then what follows for each class of traffic. The
 * words are fetched when they are first asked for; rejects where that fails.
 */
export async function explainPlan(plan: Plan): Promise<PlanRow[]> {
  const { describePlan } = await import("./describe-plan.js");
  return describePlan(plan);
}

/** The words of all questions of the decision tree and of all their answers, fetched when they are first asked for. */
export async function fetchTreeWords(): Promise<readonly QuestionWords[]> {
  return (await import("./describe-plan.js")).treeWords;
}
