import type { EntityDefinition } from "@paceline/protocol";
import type { Entity, Room } from "@paceline/client";

/** Estimated share of a kind of entity, and of its fields, in the bytes of states, 0 to 1. */
export interface KindShare {
  readonly definition: EntityDefinition;
  readonly entities: readonly Entity[];
  readonly share: number;
  readonly fields: readonly { readonly name: string; readonly share: number }[];
}

/**
 * Share of the weights that remains at the next `observe`. The estimate covers about the last ten seconds.
 */
const KEEP_SHARE = 0.95;

/**
 * Estimates how the bytes of states divide among kinds and fields. A component costs about as many bits as
 * its change has in steps of its precision. A codec that predicts well spends less on even motion.
 */
export class FieldShares {
  readonly #room: Pick<Room, "kinds" | "entities">;
  readonly #last = new WeakMap<Entity, readonly number[]>();
  readonly #weights = new Map<EntityDefinition, Map<string, number>>();

  constructor(room: Pick<Room, "kinds" | "entities">) {
    this.#room = room;
  }

  /** Compares all entities with their values at the last call. */
  observe(): void {
    for (const definition of this.#room.kinds) {
      const weights = this.#weights.get(definition) ?? new Map<string, number>();
      this.#weights.set(definition, weights);
      for (const [name, weight] of weights) weights.set(name, weight * KEEP_SHARE);
      for (const entity of this.#room.entities(definition)) this.#compare(definition, entity, weights);
    }
  }

  shares(): KindShare[] {
    const kinds = Array.from(this.#weights, ([definition, weights]) => {
      const entities = [...this.#room.entities(definition)];
      return { definition, entities, weights, weight: sum(weights.values()) };
    });
    const all = sum(kinds.map(({ weight }) => weight)) || 1;
    return kinds.map(({ definition, entities, weights, weight }) => {
      const fields = Array.from(weights, ([name, part]) => ({ name, share: part / all }));
      return { definition, entities, share: weight / all, fields };
    });
  }

  #compare(definition: EntityDefinition, entity: Entity, weights: Map<string, number>): void {
    const values = definition.leaves.flatMap(({ path, count }) => numbersAt(entity, path, count));
    const before = this.#last.get(entity);
    this.#last.set(entity, values);
    let index = 0;
    for (const { path, offset, count } of definition.leaves) {
      const name = path.split(".")[0]!;
      for (let component = 0; component < Math.max(1, count); component++, index++) {
        const precision = count === 0 ? 1 : (definition.components[offset + component]?.precision ?? 1);
        const steps = Math.abs(values[index]! - (before?.[index] ?? values[index]!)) / (precision || 1);
        weights.set(name, (weights.get(name) ?? 0) + (steps < 0.5 ? 0 : 1 + Math.log2(1 + steps)));
      }
    }
  }
}

const AXES = ["x", "y", "z", "w"] as const;

/**
 * Returns the components of a field as numbers. Every other value becomes one number, so that a change of it
 * shows.
 */
function numbersAt(entity: Entity, path: string, count: number): number[] {
  const value = path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], entity);
  if (count > 1)
    return AXES.slice(0, count).map((axis) => toNumber((value as Record<string, unknown>)?.[axis]));
  return [toNumber(value)];
}

function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  // A hash shows the change of a text. The value of an enum is its name.
  let hash = 0;
  for (const letter of String(value)) hash = (hash * 31 + letter.charCodeAt(0)) % 251;
  return hash;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
