import { linkQuestions } from "./link-questions.js";
import { paceQuestions } from "./pace-questions.js";
import type { Question } from "./question.js";

/** The decision tree: begins with its first question and goes where the answers lead. */
export const decisionTree: readonly Question[] = Object.freeze([...linkQuestions, ...paceQuestions]);
