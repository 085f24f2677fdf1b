import type { InterestPlan } from "./interest-options.js";
import { UNSEEN } from "./cell-view.js";

/**
 * The ways in which a view may be less than its rings, from the full view on. Each step sends less than the
 * one before it: first the farthest ring is lost, then the next. If the nearest ring alone is too much, its
 * rate falls, level by level. The last step is a private list of entities instead of whole cells.
 */
export class Degradation {
  readonly ringCount: number;
  /** The last step: the viewer sees no whole cells. */
  readonly privateList: number;
  /** Level by ring, for each step. */
  readonly #levels: readonly Uint8Array[];
  /** States of an entity per tick by ring, for each step. */
  readonly #rates: readonly Float64Array[];

  constructor({ radiiM, levels }: InterestPlan) {
    const rings = radiiM.length;
    this.ringCount = rings;
    this.privateList = rings + levels.length - 1;
    const steps = this.privateList + 1;
    this.#levels = Array.from({ length: steps }, () => new Uint8Array(rings).fill(UNSEEN));
    this.#rates = Array.from({ length: steps }, () => new Float64Array(rings));
    for (let step = 0; step < this.privateList; step++) {
      for (let ring = 0; ring < this.ringsAt(step); ring++) {
        const level = step < rings ? ring : step - rings + 1;
        this.#levels[step]![ring] = level;
        this.#rates[step]![ring] = 1 / levels[level]!.everyTicks;
      }
    }
  }

  /** Returns the number of rings that are left at a step. */
  ringsAt(step: number): number {
    return step === this.privateList ? 0 : Math.max(1, this.ringCount - step);
  }

  /** Returns the level of each ring at a step; `UNSEEN` if it is lost. */
  levelsAt(step: number): Uint8Array {
    return this.#levels[step]!;
  }

  /** Returns the level at which a viewer gets the cells of a ring; `UNSEEN` if not at all. */
  levelOf(step: number, ring: number): number {
    return ring === UNSEEN ? UNSEEN : this.#levels[step]![ring]!;
  }

  /** Returns the number of entities that are left at a step. */
  entitiesAt(step: number, counts: Int32Array): number {
    let sum = 0;
    for (let ring = this.ringsAt(step) - 1; ring >= 0; ring--) sum += counts[ring]!;
    return sum;
  }

  /** Returns the states per tick of an entity of each ring at a step, if it is sent at each of its turns. */
  ratesAt(step: number): Float64Array {
    return this.#rates[step]!;
  }
}
