import type { LossModel } from "./network.js";
import type { Random } from "./random.js";

/** Decides for each packet whether it is lost. Holds the state of a path that is good and bad by turns. */
export class LossProcess {
  readonly #random: Random;
  #isBad = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * Returns true if the next packet is lost. Always draws two values, so that a change of model shifts no
   * others.
   */
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
