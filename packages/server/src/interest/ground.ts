import type { EntityDefinition } from "@paceline/protocol";
import {
  placeColumnsOf,
  type GroundAxes,
  type PlaceColumns,
  type Rectangle,
} from "@paceline/netcode/interest";
import type { EntityRecord } from "../entities/world.js";
import type { Point } from "../entities/sight.js";

export type { GroundAxes };

/** Finds the places of entities on the ground of a room, m. */
export class Ground {
  readonly #kinds = new Map<EntityDefinition, PlaceColumns>();
  readonly #axes: GroundAxes | undefined;

  /** @param axes undefined: x and y of positions with two components, x and z of those with three */
  constructor(definitions: readonly EntityDefinition[], axes: GroundAxes | undefined) {
    this.#axes = axes;
    for (const definition of definitions) {
      const columns = placeColumnsOf(definition, axes);
      if (columns) this.#kinds.set(definition, columns);
    }
  }

  /** The rectangle of all positions that the kinds can have, m. */
  get world(): Rectangle {
    let [min, max] = [Infinity, -Infinity];
    for (const { range } of this.#kinds.values())
      [min, max] = [Math.min(min, range[0]), Math.max(max, range[1])];
    // Without a position, everything concerns everybody.
    return min < max
      ? { minX: min, minY: min, maxX: max, maxY: max }
      : { minX: 0, minY: 0, maxX: 1, maxY: 1 };
  }

  /** Returns true if the entities of a kind have places. */
  has(definition: EntityDefinition): boolean {
    return this.#kinds.has(definition);
  }

  xOf({ definition, row }: EntityRecord): number {
    return row[this.#kinds.get(definition)!.at]!;
  }

  yOf({ definition, row }: EntityRecord): number {
    const { at, step } = this.#kinds.get(definition)!;
    return row[at + step]!;
  }

  /** Returns the place of an entity that has one. */
  placeOf(record: EntityRecord): readonly [number, number] {
    return [this.xOf(record), this.yOf(record)];
  }

  /** Returns the second coordinate on the ground of a point. */
  yOfPoint({ y, z }: Point): number {
    return z === undefined || this.#axes === "xy" ? y : z;
  }
}
