import { OWNER_BITS, TELEPORT_BITS, type StatePlan } from "./state-plan.js";

/**
 * Returns the exact size, in bits, of a whole state of an entity with an owner: owner, teleports and every
 * column, each with the bits of its range. `textBytes`: total bytes of its texts, by default their limits. A
 * difference is smaller unless a prediction fails badly; only coding gives its exact size.
 */
export function wholeStateBits(plan: StatePlan, textBytes: number = longestTexts(plan)): number {
  let bits = 1 + OWNER_BITS + TELEPORT_BITS;
  for (const { first, count } of plan.groups) {
    for (let column = first; column < first + count; column++) bits += plan.bits[column]!;
  }
  for (const text of plan.texts) bits += textLengthBits(text);
  return bits + textBytes * 8;
}

/** Columns of a state that take as long to read as the rest of it. A text takes as long as some columns. */
const COLUMNS_PER_WEIGHT = 16;
const TEXT_COLUMNS = 8;

/** Returns the number of states as which one state counts towards `limits.statesPerSecond`. */
export function stateWeight(columns: number, texts: number): number {
  return 1 + Math.floor((columns + texts * TEXT_COLUMNS) / COLUMNS_PER_WEIGHT);
}

/** Returns the number of bits before a text for its length. */
export function textLengthBits(text: StatePlan["texts"][number]): number {
  return 32 - Math.clz32(mostBytes(text));
}

function mostBytes({ field }: StatePlan["texts"][number]): number {
  return "maxBytes" in field ? field.maxBytes : 0;
}

function longestTexts({ texts }: StatePlan): number {
  return texts.reduce((sum, text) => sum + mostBytes(text), 0);
}
