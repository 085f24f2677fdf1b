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
  /** The fields as those of an entity: where they lie in a row, their kinds and ranges. */
  readonly definition: EntityDefinition<F>;
  readonly plan: StatePlan;
  /** 32 bits over everything that both sides must agree on; never 0. */
  readonly hash: number;
}

/** More bits than this would be a state, not an input. */
const MAX_BITS = 256;

/**
 * Describes the inputs of a room, with the fields of entities. Throws {@link ConfigError} for text fields, which no tick
 * has room for, and for more than 256 bits.
 */
export function defineInput<const F extends Fields>(
  fields: F,
  options: Pick<EntityOptions<F>, "strict"> = {},
): InputDefinition<F> {
  const definition = defineEntity("input", fields, options);
  if (definition.textCount > 0) {
    throw new ConfigError({ field: "inputs", value: "text", expected: "fields of a fixed size" });
  }
  // The rate is of no consequence: nothing is predicted from ticks here.
  const plan = planState(definition, { tickHz: 60 });
  const bits = plan.bits.subarray(FIRST_FIELD_COLUMN).reduce((sum, each) => sum + each, 0);
  if (bits > MAX_BITS) {
    throw new ConfigError({ field: "inputs", value: `${bits} bits`, expected: `at most ${MAX_BITS} bits` });
  }
  return Object.freeze({ fields, definition, plan, hash: definition.schemaHash || 1 });
}
