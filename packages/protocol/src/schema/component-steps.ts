import { ConfigError } from "../errors/errors.js";
import type { Component } from "./entity-components.js";
import type { EntityDefinition } from "./entity-definition.js";

/** The whole numbers that stand for a component's values. */
export interface Steps {
  readonly min: number;
  readonly max: number;
  /** Steps of a full turn; 0 if the component is not an angle. */
  readonly turn: number;
  /** Size of one step, in the component's unit. */
  readonly step: number;
}

/** Largest rotation by rounding, per step of a component: 2 * sqrt(3), at (1/2, 1/2, 1/2, 1/2). */
const QUAT_TURN_PER_STEP = 2 * Math.sqrt(3);
const TURN = 2 * Math.PI;
/**
 * Bound of a derived rate, in steps. Steps of 1 cm/s reach 2.6 km/s; steps of 0.5 m/s² reach more than any
 * impact.
 */
const MAX_RATE_STEPS = 2 ** 18 - 1;
/** Limit of steps of a range. More would not fit the codec's integers. */
const MAX_STEPS = 2 ** 30;

/** Returns the steps of a component. Throws {@link ConfigError} for too many of them. */
export function stepsOf({ name }: Pick<EntityDefinition, "name">, component: Component): Steps {
  const { precision } = component;
  if (component.kind === "angle") {
    const turn = Math.ceil(TURN / precision - 1e-9);
    return { min: 0, max: turn - 1, turn, step: TURN / turn };
  }
  if (component.kind === "quat") return quatSteps(component);
  if (!component.isSent) return { min: -MAX_RATE_STEPS, max: MAX_RATE_STEPS, turn: 0, step: precision };
  const [min, max] = [Math.round(component.min / precision), Math.round(component.max / precision)];
  assertSteps(name, component);
  return { min, max, turn: 0, step: precision };
}

/** Returns the bits of a whole number between these two. */
export function bitsBetween(min: number, max: number): number {
  return 32 - Math.clz32(max - min);
}

/** The first column of a quaternion says which of its components is left out. */
function quatSteps({ name, precision }: Component): Steps {
  if (name.endsWith(".x")) return { min: 0, max: 3, turn: 0, step: 1 };
  const step = precision / 2 / QUAT_TURN_PER_STEP;
  const max = Math.ceil(Math.SQRT1_2 / step);
  return { min: -max, max, turn: 0, step };
}

function assertSteps(definition: string, { name, min, max, precision }: Component): void {
  if (Math.max(max - min, Math.abs(min), Math.abs(max)) / precision <= MAX_STEPS) return;
  throw new ConfigError(
    `${definition}.${name}.precision`,
    precision,
    `one that leads from ${min} to ${max}, and from 0, in at most 2^30 steps`,
  );
}
