import { OWNER_BITS, TELEPORT_BITS, type StatePlan } from "./state-plan.js";

/** Bits before a text for its length. */
const TEXT_LENGTH_BITS = 8;

/**
 * Returns the exact size, in bits, of a whole state: owner, teleports and every column, each with the bits of
 * its range. `textBytes`: total bytes of its texts, by default their limits. A difference is smaller unless a
 * prediction fails badly; only coding gives its exact size.
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
