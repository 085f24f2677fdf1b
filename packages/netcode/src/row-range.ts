import type { Component } from "@paceline/protocol";
import type { Components } from "./body/body-layout.js";

/** Clamps each number of a row to its range: between two states, a motion may lead out of it. */
export function clampToRanges(components: readonly Component[], row: Components): void {
  for (let index = 0; index < components.length; index++) {
    const { min, max } = components[index]!;
    const value = row[index]!;
    if (value < min) row[index] = min;
    else if (value > max) row[index] = max;
  }
}
