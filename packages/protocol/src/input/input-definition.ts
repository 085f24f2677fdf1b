import {
  defineEntity,
  type EntityDefinition,
  type EntityOptions,
  type Fields,
} from "../schema/entity-definition.js";
import { ConfigError } from "../errors/errors.js";
import { FIRST_FIELD_COLUMN, planState, type StatePlan } from "../state/columns/state-plan.js";

/** The fields of a player's input in one tick. */
export interface InputDefinition<F extends Fields = Fields> {
  readonly fields: F;
  /** The fields as an entity definition: places in a row, kinds and ranges. */
  readonly definition: EntityDefinition<F>;
  readonly plan: StatePlan;
  /** Hash of everything that both sides must agree on, 32 bits, never 0. */
  readonly hash: number;
}

/** Bits of an input at most: more are a state. */
export const MAX_INPUT_BITS = 256;

/**
 * Describes the inputs of a room by the same fields as entities have. Throws {@link ConfigError} for text
 * fields, which are too long for every tick, and for more than 256 bits.
 */
export function defineInput<const F extends Fields>(
  fields: F,
  options: Pick<EntityOptions<F>, "strict"> = {},
): InputDefinition<F> {
  const definition = defineEntity("input", fields, options);
  if (definition.textCount > 0) throw new ConfigError("inputs", "text", "fields of a fixed size");
  // The rate does not matter: inputs are not predicted from ticks.
  const plan = planState(definition, { tickHz: 60 });
  const bits = plan.bits.subarray(FIRST_FIELD_COLUMN).reduce((sum, each) => sum + each, 0);
  if (bits > MAX_INPUT_BITS) {
    throw new ConfigError("inputs", `${bits} bits`, `at most ${MAX_INPUT_BITS} bits`);
  }
  return Object.freeze({ fields, definition, plan, hash: definition.schemaHash || 1 });
}
