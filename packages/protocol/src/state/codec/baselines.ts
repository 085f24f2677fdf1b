/** Offsets of a state and of its baselines, and the ticks between them. One object serves all entities. */
export interface Baselines {
  /** The row of the state itself. An encoder reads it, a decoder fills it in. */
  row: Int32Array;
  at: number;
  /** Rows of up to three earlier states that both sides hold: `at0` is the newest; -1 if missing. */
  rows: Int32Array;
  at0: number;
  at1: number;
  at2: number;
  /** Ticks from `at0` to the state, from `at1` to `at0`, and from `at2` to `at1`. */
  age: number;
  gap1: number;
  gap2: number;
}

export function emptyBaselines(): Baselines {
  const none = new Int32Array(0);
  return { row: none, at: 0, rows: none, at0: -1, at1: -1, at2: -1, age: 1, gap1: 1, gap2: 1 };
}
