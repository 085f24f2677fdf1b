import {
  defineEntity,
  type EntityDefinition,
  type EntityOptions,
  type Fields,
} from "../schema/entity-definition.js";
import { ConfigError } from "../errors/errors.js";
import { FIRST_FIELD_COLUMN, planState, type StatePlan } from "../state/plan/state-plan.js";

/** The fields of a player's input in one tick. */
export interface InputDefinition<F extends Fields = Fields> {
  readonly fields: F;
  /** The fields as an entity definition: places in a row, kinds and ranges. */
  readonly definition: EntityDefinition<F>;
  readonly plan: StatePlan;
  /** Hash of everything that both sides must agree on, 32 bits, never 0. */
  readonly hash: number;
}

/** More bits than this are a state, not an input. */
const MAX_BITS = 256;

/** The number of a room's inputs in a description of columns, where a kind of entity has its own. */
export const INPUT_COLUMNS = 255;

/**
 * Describes the inputs of a room by the same fields as entities have. Throws {@link ConfigError} for text
 * fields, which are too long for every tick, and for more than 256 bits.
 */
export function defineInput<const F extends Fields>(
  fields: F,
  options: Pick<EntityOptions<F>, "strict"> = {},
): InputDefinition<F> {
  const definition = defineEntity("input", fields, options);
  if (definition.textCount > 0) {
    throw new ConfigError({ field: "inputs", value: "text", expected: "fields of a fixed size" });
  }
  // The rate does not matter: inputs are not predicted from ticks.
  const plan = planState(definition, { tickHz: 60 });
  const bits = bitsOf(plan);
  if (bits > MAX_BITS) {
    throw new ConfigError({ field: "inputs", value: `${bits} bits`, expected: `at most ${MAX_BITS} bits` });
  }
  return Object.freeze({ fields, definition, plan, hash: definition.schemaHash || 1 });
}

/** Returns true if a plan of described columns is one of inputs: without text, and not too long. */
export function isInputPlan(plan: StatePlan): boolean {
  return plan.texts.length === 0 && bitsOf(plan) <= MAX_BITS;
}

function bitsOf({ bits }: StatePlan): number {
  return bits.subarray(FIRST_FIELD_COLUMN).reduce((sum, each) => sum + each, 0);
}
