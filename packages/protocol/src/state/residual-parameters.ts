/** What a residual is of; each has weights and shapes of its own, fitted to recorded and generated movement. */
export const Role = {
  /** Velocity. */
  rate: 0,
  /** Position whose velocity is known. */
  place: 1,
  /** Anything smooth that is predicted from its own history. */
  smooth: 2,
  /** A quaternion's component. */
  rotation: 3,
  /** A number that holds and then steps, once it is known to have changed. */
  step: 4,
  /** Whether such a number has changed. */
  change: 5,
} as const;

export const ROLES = 6;
export const FEATURES = 9;

/** Per role, in 1/64: weights of the features; the same per unit of log2(age) / 2; one of its square. */
export const WEIGHTS: readonly (readonly number[])[] = [
  [-96, 41, 12, 15, 3, 15, 40, 0, 0, 28, -14, -8, 12, 6, 9, -10, 0, 0, 4],
  [-61, 3, 12, 6, 0, 28, 40, 40, 0, -64, 16, -8, -9, 0, -7, -5, 3, 0, 40],
  [-120, 47, 0, 15, 0, 0, 0, 60, 47, 220, -18, 0, 16, 0, 0, 0, -11, -19, 1],
  [-120, 47, 0, 15, 0, 0, 40, 60, 47, 220, -18, 0, 16, 0, 0, 0, -11, -19, 1],
  [33, 22, -1, 0, 0, 0, 0, 8, 10, 81, -13, 3, 0, 0, 0, 0, -4, -4, -15],
  [-4, 4, 10, -53, 0, 0, 0, 1, 4, 15, 6, 3, 9, 0, 0, 0, 0, -1, -3],
];

/** Per residual role, two letters a bin: see buildFrequencies. */
export const SHAPES: readonly string[] = [
  "GP".repeat(32),
  "GP".repeat(32),
  "GP".repeat(32),
  "GP".repeat(32),
  "GP".repeat(32),
];

/** The chance of a change per bin, in 1/64: a letter each, A = 0. */
export const CHANGE_CHANCES = "BBBBBBBBCCDEFGIKMPSVYbehkmprtuvw";
