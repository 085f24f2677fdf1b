/** Changes go on for about a second: squared, in seconds. */
const MEMORY_SQUARED = 1;
const BEND_WEIGHT = 0.4;

/**
 * How much of a change per tick is expected to go on for a while: size / (fading * size + bending * bend^2), with
 * size = change^2 + 1, where `bend` is the change of `change` from one tick to the next. It is less after a long
 * time, and less where the change itself has been changing: noise bends more than it changes, and is not worth
 * continuing. Only operations that IEEE 754 defines to the last bit, since both sides must agree.
 */
export class Persistence {
  fading = 1;
  bending = 0;

  /** @param age in ticks, `seconds` the same */
  setAge(age: number, seconds: number): void {
    this.fading = 1 + (seconds * seconds) / MEMORY_SQUARED;
    this.bending = BEND_WEIGHT * age;
  }

  /** By age alone. */
  get plain(): number {
    return 1 / this.fading;
  }

  of(change: number, bend: number): number {
    const size = change * change + 1;
    return size / (this.fading * size + this.bending * bend * bend);
  }
}
