/** Arrivals of one sender's numbered messages. */
export interface ReceivedCounts {
  readonly distinct: number;
  readonly repeated: number;
  readonly outOfOrder: number;
}

/** Checks numbers that should arrive as 0, 1, 2 and so on, each once. */
export class ReceivedNumbers {
  readonly #seen = new Set<number>();
  #highest = -1;
  #repeated = 0;
  #outOfOrder = 0;

  take(number: number): void {
    if (this.#seen.has(number)) this.#repeated += 1;
    else if (number < this.#highest) this.#outOfOrder += 1;
    this.#seen.add(number);
    this.#highest = Math.max(this.#highest, number);
  }

  get counts(): ReceivedCounts {
    return { distinct: this.#seen.size, repeated: this.#repeated, outOfOrder: this.#outOfOrder };
  }
}
