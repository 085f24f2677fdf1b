/** Offsets of a state and of its baselines, and their age. One object serves all entities. */
export interface Baselines {
  /** The state itself: known to an encoder, filled in by a decoder. */
  row: Int32Array;
  at: number;
  /** Up to three earlier states of the entity that both sides hold, newest first; -1 where there is none. */
  rows: Int32Array;
  at0: number;
  at1: number;
  at2: number;
  /** Ticks from the newest to the state; from the second to the first; from the third to the second. */
  age: number;
  gap1: number;
  gap2: number;
}

export function emptyBaselines(): Baselines {
  const none = new Int32Array(0);
  return { row: none, at: 0, rows: none, at0: -1, at1: -1, at2: -1, age: 1, gap1: 1, gap2: 1 };
}
