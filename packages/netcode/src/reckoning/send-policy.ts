import type { EntityDefinition } from "@paceline/protocol";

/** Conditions for sending an entity. */
export interface SendDecisionPolicy {
  /** Largest accepted errors at receivers. */
  readonly positionThresholdM: number;
  readonly headingThresholdRad: number;
  /** Error of positions up to which nothing is sent, whatever the thresholds are, m. Default 0. */
  readonly leastErrorM?: number;
  /**
   * Time ahead at which the error is judged: one-way delay to the receivers, plus their delay in showing an
   * update, ms.
   */
  readonly horizonMs: number;
  /** Shortest time between two updates of an entity, ms. */
  readonly minIntervalMs: number;
  /** Longest time between two updates, ms (DIS: 5 s). */
  readonly heartbeatMs: number;
  /** Longest time between two updates of a moving entity, ms, so that a lost update is soon replaced. */
  readonly movingHeartbeatMs: number;
  /**
   * Time after which an update is repeated unless a newer one was sent, ms; 0: never. For paths that lose
   * many packets.
   */
  readonly repeatAfterMs: number;
  /** True if receivers interpolate: a moving entity is then sent once per interval. */
  readonly isInterpolated?: boolean;
}

/** Reason for sending an entity. */
export type SendReason = "first" | "position" | "heading" | "snapshot" | "field" | "repeat" | "heartbeat";

/**
 * Share of lost packets from which on repeating updates pays off. With less, the next update arrives soon
 * enough.
 */
const LOSSY_RATIO = 0.025;
/** Time after which an update is repeated unless a newer one was sent, ms. */
export const REPEAT_AFTER_MS = 67;

/** Returns the time until an update is repeated, ms, on a path with this share of lost packets; 0: never. */
export function repeatAfterMsFor(lossRatio: number): number {
  return lossRatio >= LOSSY_RATIO ? REPEAT_AFTER_MS : 0;
}

/**
 * Returns true if receivers show entities of a definition by interpolation. `byProfile`: the profile's
 * choice.
 */
export function isInterpolated(definition: EntityDefinition, byProfile: boolean): boolean {
  if (!definition.motionLayout) return false;
  if (definition.show !== undefined) return definition.show === "interpolate";
  // A game with its own motion model wants it to be used.
  return byProfile && definition.motion !== "step";
}
