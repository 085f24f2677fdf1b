/**
 * Returns 16 bits over a state's columns: FNV-1a over 32-bit words, folded. Both sides must get the same
 * value for one tick.
 */
export function stateChecksum(rows: Int32Array, at: number, width: number): number {
  let hash = 0x811c9dc5;
  for (let index = at; index < at + width; index++) {
    hash = Math.imul(hash ^ rows[index]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return ((hash >>> 16) ^ hash) & 0xffff;
}
