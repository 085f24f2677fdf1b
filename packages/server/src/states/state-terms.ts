import { MAX_HEARTBEAT_MS, type ViewTerms } from "@paceline/protocol";

/** Rates and thresholds of a player's states. Players with equal terms and kinds get the same packets. */
export type StateTerms = Required<Omit<ViewTerms, "eventLifetimeMs" | "messagePeriodMs">>;

/**
 * Terms of a player that has sent none: exact states at each tick, with heartbeats for the most careful game.
 */
export const exactTerms: StateTerms = Object.freeze({
  isInterpolated: false,
  everyTicks: 1,
  thresholdM: 0,
  headingRad: 0,
  heartbeatMs: MAX_HEARTBEAT_MS,
  // Clients stop moving an entity without news, some after 250 ms.
  movingHeartbeatMs: 150,
  repeats: false,
  bytesPerSecond: Infinity,
});

/** Returns a player's terms, completed with the defaults. */
export function termsOf(view: ViewTerms): StateTerms {
  const { eventLifetimeMs: _lifetime, messagePeriodMs: _period, ...states } = view;
  return { ...exactTerms, ...states };
}

/** Returns a key that is equal for equal terms. */
export function termsKey(terms: StateTerms): string {
  return (Object.keys(exactTerms) as (keyof StateTerms)[]).map((name) => Number(terms[name])).join(" ");
}
