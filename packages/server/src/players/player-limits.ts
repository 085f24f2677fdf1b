import { checkedLimits, type LimitRow, type ToAuthority } from "@paceline/protocol";
import { TokenBucket } from "@paceline/transport";

/**
 * Limits of one player's requests to its room, besides messages and inputs. A test compares them with the
 * table in docs/guides/authority.md.
 */
export const playerLimitTable = {
  /** Entities that a player begins or ends, sustained; more `own` are answered `refused`. */
  ownPerSecond: { default: 60, min: 1, max: 10_000, unit: "messages per second" },
  /** Entities that a player begins or ends at once, besides as many as the player may own. */
  ownBurst: { default: 200, min: 1, max: 100_000, unit: "messages" },
  /** Requests for whole states, sustained; more are dropped. */
  resyncPerSecond: { default: 4, min: 1, max: 10_000, unit: "messages per second" },
  /** Requests for whole states at once. */
  resyncBurst: { default: 40, min: 1, max: 100_000, unit: "messages" },
  /** Changes of the kinds that a player reads, sustained; more are dropped. */
  kindsPerSecond: { default: 2, min: 1, max: 10_000, unit: "messages per second" },
  /** Changes of the kinds that a player reads at once. */
  kindsBurst: { default: 20, min: 1, max: 100_000, unit: "messages" },
  /** Changes of how a player shows entities, sustained; more are dropped. */
  viewPerSecond: { default: 2, min: 1, max: 10_000, unit: "messages per second" },
  /** Changes of how a player shows entities at once. */
  viewBurst: { default: 20, min: 1, max: 100_000, unit: "messages" },
  /** Entities that the players of a room own together; more are answered `refused`. */
  entitiesPerRoom: { default: 4096, min: 1, max: 60_000, unit: "entities" },
} as const satisfies Record<string, LimitRow>;

/** Limits of one player by name; units and ranges are in `playerLimitTable`. */
export type PlayerLimits = { readonly [Name in keyof typeof playerLimitTable]: number };

/** Fills the defaults of a room's limits and checks them. Throws {@link ConfigError}. */
export function checkedPlayerLimits(given: Partial<PlayerLimits>): PlayerLimits {
  return checkedLimits("playerLimits", playerLimitTable, given);
}

/**
 * Returns a function that admits one player's messages to the authority, by a token bucket for each kind. `own`
 * and `disown` share one. Its burst grows by `maxEntities`, the entities that the player may own: after a reload
 * it asks for all of them at once.
 */
export function authorityAllowance(limits: PlayerLimits, maxEntities: number) {
  /** Created at the first message of their kind. */
  const buckets = new Map<string, TokenBucket>();
  return (type: ToAuthority["type"], nowMs: number): boolean => {
    const name = type === "disown" ? "own" : type;
    let bucket = buckets.get(name);
    if (!bucket) {
      const burst = limits[`${name}Burst`] + (name === "own" ? maxEntities : 0);
      bucket = new TokenBucket(limits[`${name}PerSecond`], burst, nowMs);
      buckets.set(name, bucket);
    }
    return bucket.take(1, nowMs);
  };
}
