import { OWNER_BITS, TELEPORT_BITS, type StatePlan } from "./state-plan.js";

/** A text is its length and its bytes. */
const TEXT_LENGTH_BITS = 8;

/**
 * Exact size, in bits, of a state that goes whole: owner, teleports and every column, each as many bits as its range
 * needs. `textBytes`: bytes of its texts together, by default as many as they may have. A difference is smaller
 * than this unless a prediction fails badly; its size is known only by coding it.
 */
export function wholeStateBits(plan: StatePlan, textBytes: number = longestTexts(plan)): number {
  let bits = OWNER_BITS + TELEPORT_BITS;
  for (const { first, count } of plan.groups) {
    for (let column = first; column < first + count; column++) bits += plan.bits[column]!;
  }
  return bits + plan.texts.length * TEXT_LENGTH_BITS + textBytes * 8;
}

function longestTexts({ texts }: StatePlan): number {
  return texts.reduce((sum, { field }) => sum + ("maxBytes" in field ? field.maxBytes : 0), 0);
}
