/** Circular 16-bit numbers: packet sequences and reliable message ids (RFC 1982 serial number arithmetic). */

export const SEQUENCE_MODULUS = 0x10000;
const HALF = 0x8000;

/** The number after `sequence`. */
export function nextSequence(sequence: number): number {
  return (sequence + 1) & 0xffff;
}

/** Distance from `b` ahead to `a`, from -32768 to 32767; right across the wrap. */
export function sequenceDistance(a: number, b: number): number {
  const distance = (a - b) & 0xffff;
  return distance >= HALF ? distance - SEQUENCE_MODULUS : distance;
}

/** Whether `a` was numbered after `b`. */
export function isNewer(a: number, b: number): boolean {
  return sequenceDistance(a, b) > 0;
}
