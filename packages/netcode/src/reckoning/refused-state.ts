/** Reason for refusing a state. */
export type RefusedState = "outdated" | "future" | "not-finite";

/**
 * A state further ahead of the receiver's clock than this is an error or an attack. It would block all later
 * states.
 */
export const FUTURE_SECONDS = 2;
