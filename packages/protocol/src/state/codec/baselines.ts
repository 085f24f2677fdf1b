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
  /** Factors of the last changes in predictions, which most entities of a packet share: see {@link setAges}. */
  perTick: number;
  ofBend: number;
  ofOlder: number;
  ofChange: number;
  lasting: number;
}

/** Sets the ticks between a state and its baselines. `gap2` is 0 if there is no third baseline. */
export function setAges(baselines: Baselines, age: number, gap1: number, gap2: number): void {
  if (baselines.age === age && baselines.gap1 === gap1 && baselines.gap2 === gap2) return;
  baselines.age = age;
  baselines.gap1 = gap1;
  baselines.gap2 = gap2;
  baselines.perTick = age / gap1;
  baselines.ofChange = (age - 1) / (2 * gap1);
  baselines.ofBend = (age * age) / gap1;
  baselines.ofOlder = gap2 === 0 ? 0 : (age * age) / gap2;
  baselines.lasting = gap2 === 0 ? 0 : age / 2;
}

export function emptyBaselines(): Baselines {
  const none = new Int32Array(0);
  const factors = { perTick: 0.5, ofBend: 0.5, ofOlder: 0.5, ofChange: 0.5, lasting: 0.5 };
  return { row: none, at: 0, rows: none, at0: -1, at1: -1, at2: -1, age: 0, gap1: 0, gap2: 0, ...factors };
}
