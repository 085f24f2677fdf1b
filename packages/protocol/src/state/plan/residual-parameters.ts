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
  [-108, 38, 7, 14, 6, 17, 46, 0, 0, 111, -17, -3, 7, 13, -16, -11, 0, 0, -10],
  [-79, 6, 0, 6, 0, 26, 33, 2, 0, -38, 18, 1, 6, 0, -3, -2, -1, 0, 28],
  [-86, 48, -2, 12, 0, 21, 39, 10, 80, 162, -3, -14, 15, 0, 32, -5, 8, -8, -4],
  [-75, 26, 0, 6, 0, -15, 29, -23, 33, 73, -6, 0, 15, 0, -25, -2, 18, 9, 5],
  [45, 10, 1, 0, 0, 0, 0, 8, 7, 65, -1, 6, 0, 0, 0, 0, -3, -3, -15],
  [-51, 27, 24, -13, 0, 0, 0, 2, 2, 12, 3, 2, 4, 0, 0, 0, 0, 0, 0],
];

/** Per residual role, two letters a bin: see buildFrequencies. */
export const SHAPES: readonly string[] = [
  "EBEAECAAAAADAEAGBLBMBMBMBNCPCPCPCPDSDSDRDRDRDQDQDPDPDODODODNDNDN",
  "EDMHNKNKGLFKFKCOCOCODRDRDRDRDRDRDRGOFMDQCOFMDRCPJNJNJNJNJNJNJNJN",
  "BIBIADEHEHADAGAEAFAHAFAFAIAGAKAKBNBNBNBNBNCPCPCPDSDSDSDRDRDQDODO",
  "EIEIBGBHBIBJBKBLBMBMBMBMCQCQCQDSDSDRDRDQHODPDNDNDNDNDNDNDNDNDNDN",
  "NLNLNLNLNLNLNLMKJLJLBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBOBO",
];

/** The chance of a change per bin, in 1/64: a letter each, A = 0. */
export const CHANGE_CHANCES = "MMDCDHLPUZkpsyyyyyyyyyyyyyyyyyyy";
