import type { ViewLimits } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { EntityRecord, Owner } from "../entities/world.js";
import type { PlayerStates } from "./player-states.js";
import type { RoomReplicationOptions } from "./room-replication.js";
import { exactTerms, termsKey, type StateTerms } from "./state-terms.js";
import { Tier } from "./tier.js";

export type ReplicatorOptions = Omit<RoomReplicationOptions, "terms">;

/**
 * Limit of tiers besides the exact one. A player whose terms need one more gets exact states at each tick.
 */
const MAX_TIERS = 16;
const viewsLimit: ViewLimits = { maxViews: MAX_TIERS };
const EXACT_KEY = termsKey(exactTerms);

/** Decides what the players of a room get of its entities. */
export interface RoomReplicator {
  /** Sends the entity's new owner at the next tick. */
  setOwner(record: EntityRecord, owner: Owner | undefined): void;
  /** Sends the entity at the next tick. */
  force(record: EntityRecord): void;
  /** Marks an entity's next state as a teleport. */
  teleport(record: EntityRecord): void;
  /** Sends the removal of an entity. Call it before the world forgets the entity. */
  removed(record: EntityRecord, playerStates: Iterable<PlayerStates>): void;
  /** Sends the states of a tick to players with a link. */
  write(moment: ReplicationMoment, playerStates: readonly PlayerStates[]): void;
}

/** Sends the entities of a room to its players, tick by tick, by each player's terms. */
export class Replicator implements RoomReplicator {
  readonly #options: ReplicatorOptions;
  readonly #tiers = new Map<string, Tier>();
  readonly #bytesLimit: ViewLimits;
  readonly #bothLimits: ViewLimits;

  constructor(options: ReplicatorOptions) {
    this.#options = options;
    this.#bytesLimit = { bytesPerSecond: options.bytesPerSecond };
    this.#bothLimits = { ...viewsLimit, ...this.#bytesLimit };
  }

  setOwner(record: EntityRecord, owner: Owner | undefined): void {
    this.#options.world.setOwner(record, owner);
    this.force(record);
  }

  force(record: EntityRecord): void {
    for (const tier of this.#tiers.values()) tier.replication.force(record);
  }

  teleport(record: EntityRecord): void {
    this.#options.world.history.teleport(record.id);
    this.teleported(record);
  }

  /** Marks an entity's next state as a teleport, if the world's history already has it. */
  teleported(record: EntityRecord): void {
    for (const tier of this.#tiers.values()) tier.replication.teleported(record);
  }

  removed(record: EntityRecord, playerStates: Iterable<PlayerStates>): void {
    for (const tier of this.#tiers.values()) tier.removed(record);
    for (const states of playerStates) states.removed(record);
  }

  write(moment: ReplicationMoment, playerStates: readonly PlayerStates[]): void {
    for (const tier of this.#tiers.values()) tier.clearMembers();
    for (const states of playerStates) {
      if (states.kinds.size === 0) continue;
      const tier = this.#tierOf(states);
      tier.add(states);
      const limits = this.#limitsOf(states, tier);
      states.setLimits(limits, tier.replication.shortage, moment.nowMs);
    }
    for (const [key, tier] of this.#tiers) {
      if (tier.isEmpty) this.#tiers.delete(key);
      else tier.write(moment);
    }
  }

  /** Returns the limits by which the tier overrides a player's terms. Returns undefined if there are none. */
  #limitsOf({ terms, termsKey: key }: PlayerStates, tier: Tier): ViewLimits | undefined {
    const wanted = terms.bytesPerSecond;
    const isCut = wanted > this.#options.bytesPerSecond && wanted < Infinity;
    if (tier.key === key) return isCut ? this.#bytesLimit : undefined;
    return isCut ? this.#bothLimits : viewsLimit;
  }

  #tierOf({ terms, termsKey: key }: PlayerStates): Tier {
    const known = this.#tiers.get(key);
    if (known) return known;
    const others = this.#tiers.size - (this.#tiers.has(EXACT_KEY) ? 1 : 0);
    return others < MAX_TIERS ? this.#begin(key, terms) : this.#exact();
  }

  #exact(): Tier {
    return this.#tiers.get(EXACT_KEY) ?? this.#begin(EXACT_KEY, exactTerms);
  }

  #begin(key: string, terms: StateTerms): Tier {
    const tier = new Tier({ ...this.#options, terms });
    this.#tiers.set(key, tier);
    return tier;
  }
}
