import type { EntityDefinition } from "@paceline/protocol";
import type { Components } from "../body/body-layout.js";

/**
 * Returns true if the velocity is declared with `derivedFrom`: it takes no bits, and receivers derive it from
 * positions.
 */
export function isVelocityDerived({ fields, motionLayout: layout }: EntityDefinition): boolean {
  return (
    layout?.velocity !== undefined &&
    !layout.isVelocityDeclared &&
    fields.velocity?.kind === fields.position?.kind
  );
}

/**
 * Computes the velocity of a sent state from the state sent before; 0 for the first. Owner and receivers do
 * the same, so that the owner knows what receivers continue. After a lost state they differ until the next
 * one.
 */
export function deriveVelocity(
  { motionLayout: layout }: EntityDefinition,
  before: Components,
  state: Components,
  seconds: number,
): void {
  if (layout?.velocity === undefined) return;
  const { position, velocity, dimensions } = layout;
  for (let axis = 0; axis < dimensions; axis++) {
    const way = state[position + axis]! - before[position + axis]!;
    state[velocity + axis] = seconds > 0 ? way / seconds : 0;
  }
}
