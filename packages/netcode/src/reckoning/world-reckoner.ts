import { copyRow, type BodyLayout, type Components } from "../body/body-layout.js";
import type { EntityDefinition } from "@paceline/protocol";
import type { Reckoner } from "./reckoner.js";
import { clampPosition, continueRotation } from "../body/pose.js";

/** Number of derivatives used: 0 (`hold`), 1 (velocity), or 2 (acceleration, too). */
type Order = 0 | 1 | 2;

/** The models in world axes, by name. */
const orders: Readonly<Partial<Record<EntityDefinition["motion"], Order>>> = {
  velocity: 1,
  acceleration: 2,
};

/** Creates the reckoner of an entity whose model is in world axes; undefined for the other models. */
export function worldReckonerOf({ motion, motionLayout }: EntityDefinition): WorldReckoner | undefined {
  const order = orders[motion];
  return motionLayout && order !== undefined ? new WorldReckoner(motionLayout, order) : undefined;
}

/** Dead reckoning in world axes: `hold`, `velocity` and `acceleration` (DIS models 1 to 5). */
export class WorldReckoner implements Reckoner {
  readonly #layout: BodyLayout;
  readonly #order: Order;
  #state: Float64Array | undefined;

  constructor(layout: BodyLayout, order: Order) {
    this.#layout = layout;
    this.#order = order;
  }

  take(state: Components): void {
    this.#state ??= new Float64Array(state.length);
    this.#state.set(state);
  }

  predict(seconds: number, into: Components): void {
    const state = this.#state;
    if (!state) return;
    copyRow(state, into);
    if (this.#order === 0) return;
    const { position, dimensions, velocity, acceleration } = this.#layout;
    if (velocity !== undefined) {
      const isAccelerated = this.#order === 2 && acceleration !== undefined;
      for (let axis = 0; axis < dimensions; axis++) {
        const change = isAccelerated ? state[acceleration + axis]! * seconds : 0;
        into[position + axis] = state[position + axis]! + (state[velocity + axis]! + change / 2) * seconds;
        into[velocity + axis] = state[velocity + axis]! + change;
      }
    }
    continueRotation(this.#layout, state, seconds, into);
    clampPosition(this.#layout, into);
  }
}
