import type { LossModel } from "./network.js";
import type { Random } from "./random.js";

/** Decides packet by packet what is lost; keeps the state of a path that is good and bad by turns. */
export class LossProcess {
  readonly #random: Random;
  #isBad = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Takes the same two values from its stream for every packet, so that a change of model shifts nothing else. */
  isLost(model: LossModel): boolean {
    const turn = this.#random.next();
    const fate = this.#random.next();
    if (model.kind !== "gilbert-elliott") {
      this.#isBad = false;
      return model.kind === "uniform" && fate < model.ratio;
    }
    this.#isBad = this.#isBad ? turn >= model.pBadToGood : turn < model.pGoodToBad;
    return fate < (this.#isBad ? model.lossInBad : model.lossInGood);
  }
}
