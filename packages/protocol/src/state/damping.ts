/** Changes go on for about this long: squared, in seconds. */
const MEMORY_SQUARED = 0.36;

/** How much of a change per tick is expected to go on over `age` ticks, by age alone. */
export function fading(seconds: number): number {
  return 1 / (1 + (seconds * seconds) / MEMORY_SQUARED);
}

/**
 * The same, less where the change itself has been changing: `bend` is the change of `change` from one tick to the
 * next. Noise bends more than it changes, and is not worth continuing. Only IEEE-exact operations, on both sides.
 */
export function persistence(seconds: number, age: number, change: number, bend: number): number {
  return 1 / (1 + (seconds * seconds) / MEMORY_SQUARED + (0.4 * age * bend * bend) / (change * change + 1));
}
