import type { Random } from "@paceline/testkit";

/** A square with its edges along the axes. */
export interface Square {
  readonly minM: readonly [x: number, y: number];
  readonly edgeM: number;
}

const SPEED_MPS = 5;

/** Entities that each walk straight to a random place of their square, and then to the next. The same seed gives the same walk. */
export class RandomWaypoints {
  /** x and y of each entity, m. */
  readonly places: Float64Array;
  readonly #targets: Float64Array;
  readonly #areaOf: (id: number) => Square;
  readonly #random: Random;
  readonly #stepM: number;

  constructor(options: {
    readonly entities: number;
    readonly tickHz: number;
    readonly random: Random;
    readonly areaOf: (id: number) => Square;
  }) {
    const { entities, tickHz, random, areaOf } = options;
    this.places = new Float64Array(2 * entities);
    this.#targets = new Float64Array(2 * entities);
    this.#areaOf = areaOf;
    this.#random = random;
    this.#stepM = SPEED_MPS / tickHz;
    for (let id = 0; id < entities; id++) {
      this.#draw(this.places, id);
      this.#draw(this.#targets, id);
    }
  }

  /** Walks for a tick. */
  walk(): void {
    const [places, targets, stepM] = [this.places, this.#targets, this.#stepM];
    for (let at = 0; at < places.length; at += 2) {
      const x = places[at]!;
      const y = places[at + 1]!;
      const [dx, dy] = [targets[at]! - x, targets[at + 1]! - y];
      const distanceM = Math.hypot(dx, dy);
      if (distanceM < stepM) this.#draw(targets, at / 2);
      else {
        places[at] = x + (dx / distanceM) * stepM;
        places[at + 1] = y + (dy / distanceM) * stepM;
      }
    }
  }

  #draw(places: Float64Array, id: number): void {
    const { minM, edgeM } = this.#areaOf(id);
    places[2 * id] = minM[0] + this.#random.next() * edgeM;
    places[2 * id + 1] = minM[1] + this.#random.next() * edgeM;
  }
}

/**
 * Returns the areas of a square world in which a share of the entities, those with the first ids, stays in a smaller square
 * in the middle.
 */
export function hotSpotAreas(options: {
  readonly entities: number;
  readonly edgeM: number;
  readonly hotShare: number;
  readonly hotSpotM: number;
}): (id: number) => Square {
  const { entities, edgeM, hotShare, hotSpotM } = options;
  const hotMinM = (edgeM - hotSpotM) / 2;
  const hot: Square = { minM: [hotMinM, hotMinM], edgeM: hotSpotM };
  const whole: Square = { minM: [0, 0], edgeM };
  return (id) => (id < entities * hotShare ? hot : whole);
}
