/** Circular 16-bit numbers: packet sequences and reliable message ids (RFC 1982 serial number arithmetic). */

export const SEQUENCE_MODULUS = 0x10000;
const HALF = 0x8000;

/** Returns the number after `sequence`: 0 after 65535. */
export function nextSequence(sequence: number): number {
  return (sequence + 1) & 0xffff;
}

/** Returns how far `a` is ahead of `b`, from -32768 to 32767, also across the wrap. */
export function sequenceDistance(a: number, b: number): number {
  const distance = (a - b) & 0xffff;
  return distance >= HALF ? distance - SEQUENCE_MODULUS : distance;
}

/** Returns true if `a` was numbered after `b`. */
export function isNewer(a: number, b: number): boolean {
  return sequenceDistance(a, b) > 0;
}

/**
 * Returns the number that was given out first, of numbers given out in order that may have begun again: the one
 * after the widest gap of the circle; 0 if there are none.
 *
 * By it, all members of a room without an authority agree on one of them: the first is
 * `firstNumber([room.myNumber, ...room.peers.map(({ number }) => number)])`. A page that reloads keeps its number.
 */
export function firstNumber(numbers: readonly number[]): number {
  let [first, widest] = [0, -1];
  for (const number of numbers) {
    let gap = SEQUENCE_MODULUS;
    for (const other of numbers) if (other !== number) gap = Math.min(gap, (number - other) & 0xffff);
    if (gap < widest || (gap === widest && number > first)) continue;
    [first, widest] = [number, gap];
  }
  return first;
}
