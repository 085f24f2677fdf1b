/** Changes go on for about this long: squared, in seconds. */
const MEMORY_SQUARED = 0.36;
const BEND_WEIGHT = 0.4;

/** How much of a change per tick is expected to go on for a while. Only IEEE-exact operations, on both sides. */
export class Persistence {
  #fading = 1;
  #bending = 0;

  /** @param age in ticks, `seconds` the same */
  setAge(age: number, seconds: number): void {
    this.#fading = 1 + (seconds * seconds) / MEMORY_SQUARED;
    this.#bending = BEND_WEIGHT * age;
  }

  /** By age alone. */
  get plain(): number {
    return 1 / this.#fading;
  }

  /**
   * Less where the change itself has been changing: `bend` is the change of `change` from one tick to the next.
   * Noise bends more than it changes, and is not worth continuing.
   */
  of(change: number, bend: number): number {
    const size = change * change + 1;
    return size / (this.#fading * size + this.#bending * bend * bend);
  }
}
