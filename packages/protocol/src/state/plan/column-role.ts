/** Behaviours of columns, which decide their prediction. */
export const Role = {
  /** Velocity. */
  rate: 0,
  /** Position with a known velocity. */
  place: 1,
  /** Smooth value, predicted from its own history. */
  smooth: 2,
  /** Component of a quaternion. */
  rotation: 3,
  /** Number that stays constant between steps. */
  step: 4,
  /** Choice that stays constant between changes. */
  change: 5,
} as const;
