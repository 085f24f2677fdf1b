import { MAX_HEARTBEAT_MS, type ViewTerms } from "@paceline/protocol";

/** Rates and thresholds of a player's states. Players with equal terms and kinds get the same packets. */
export type Terms = Required<Omit<ViewTerms, "eventLifetimeMs" | "messagePeriodMs">>;

/** Until a player has said how it wants to be told: exactly and at each tick, as often as the most careful game needs. */
export const exactTerms: Terms = Object.freeze({
  isInterpolated: false,
  everyTicks: 1,
  thresholdM: 0,
  headingRad: 0,
  heartbeatMs: MAX_HEARTBEAT_MS,
  // Clients stop to move on what they hear nothing of, some after 250 ms.
  movingHeartbeatMs: 150,
  repeats: false,
  bytesPerSecond: Infinity,
});

/** Completes a player's terms with the defaults. */
export function termsOf(view: ViewTerms): Terms {
  const { eventLifetimeMs: _lifetime, messagePeriodMs: _period, ...states } = view;
  return { ...exactTerms, ...states };
}

/** Equal for equal terms. */
export function termsKey(terms: Terms): string {
  return (Object.keys(exactTerms) as (keyof Terms)[]).map((name) => Number(terms[name])).join(" ");
}
