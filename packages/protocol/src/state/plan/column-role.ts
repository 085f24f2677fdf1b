/** The behaviour of a column, which decides its prediction. */
export const Role = {
  /** Velocity. */
  rate: 0,
  /** Position whose velocity is known. */
  place: 1,
  /** Anything smooth that is predicted from its own history. */
  smooth: 2,
  /** A quaternion's component. */
  rotation: 3,
  /** A number that holds and then steps. */
  step: 4,
  /** A choice that holds and then is another. */
  change: 5,
} as const;
