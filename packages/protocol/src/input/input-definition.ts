import {
  defineEntity,
  type EntityDefinition,
  type EntityOptions,
  type Fields,
} from "../schema/entity-definition.js";
import { bitsBetween, stepsOf } from "../schema/component-steps.js";
import { ConfigError } from "../errors/errors.js";

/** The fields of a player's input in one tick. */
export interface InputDefinition<F extends Fields = Fields> {
  readonly fields: F;
  /** The fields as an entity definition: places in a row, kinds and ranges. */
  readonly definition: EntityDefinition<F>;
  /** Hash of everything that both sides must agree on, 32 bits, never 0. */
  readonly hash: number;
}

/** Bits of an input at most: more are a state. */
export const MAX_INPUT_BITS = 256;

let isInputUsed = false;

/** Returns true once an input was described. Only rooms with an authority have inputs. */
export function usesInputs(): boolean {
  return isInputUsed;
}

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
  const bits = definition.components.reduce((sum, component) => {
    const { min, max } = stepsOf(definition, component);
    return sum + bitsBetween(min, max);
  }, 0);
  if (bits > MAX_INPUT_BITS) {
    throw new ConfigError("inputs", `${bits} bits`, `at most ${MAX_INPUT_BITS} bits`);
  }
  isInputUsed = true;
  return Object.freeze({ fields, definition, hash: definition.schemaHash || 1 });
}
