import { linkQuestions } from "./link-questions.js";
import { paceQuestions } from "./pace-questions.js";
import type { Question } from "./question.js";

// CONTRIBUTING.md lists what belongs to a new row.
/** The decision tree. It begins with its first question, and each answer leads to the next one. */
export const decisionTree: readonly Question[] = Object.freeze([...linkQuestions, ...paceQuestions]);
