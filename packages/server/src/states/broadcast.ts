import type { ViewLimits } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { Player } from "../players/player.js";
import type { EntityRecord, World } from "../entities/world.js";
import type { PlayerSnapshotStream } from "./player-snapshot-stream.js";
import { exactTerms, termsKey, type Terms } from "./terms.js";
import { Tier } from "./tier.js";

export interface BroadcastOptions {
  readonly world: World;
  readonly tickHz: number;
  readonly bytesPerSecond: number;
}

/** Limit of tiers besides the exact one. A player with one more set of terms gets exact states at each tick. */
const MAX_TIERS = 16;
const viewsLimit: ViewLimits = { maxViews: MAX_TIERS };
const EXACT_KEY = termsKey(exactTerms);

/** Tells all players of a room, tick by tick, what has to be told of its entities: each as its terms say. */
export class Broadcast {
  readonly #options: BroadcastOptions;
  /** Tiers by the terms of their players. */
  readonly #tiers = new Map<string, Tier>();
  readonly #bytesLimit: ViewLimits;
  readonly #bothLimits: ViewLimits;

  constructor(options: BroadcastOptions) {
    this.#options = options;
    this.#bytesLimit = { bytesPerSecond: options.bytesPerSecond };
    this.#bothLimits = { ...viewsLimit, ...this.#bytesLimit };
  }

  /** Sends the entity's new owner at the next tick. */
  setOwner(record: EntityRecord, owner: Player | undefined): void {
    this.#options.world.setOwner(record, owner);
    this.force(record);
  }

  /** Sends the entity at the next tick. */
  force(record: EntityRecord): void {
    for (const tier of this.#tiers.values()) tier.force(record);
  }

  /** Notes that an entity's next state is a new place, no movement. */
  teleport(record: EntityRecord): void {
    this.#options.world.history.teleport(record.id);
    this.teleported(record);
  }

  /** The world says already that the entity has jumped. */
  teleported(record: EntityRecord): void {
    for (const tier of this.#tiers.values()) tier.teleported(record);
  }

  /** Call before the world forgets it. */
  removed(record: EntityRecord, snapshotStreams: Iterable<PlayerSnapshotStream>): void {
    for (const tier of this.#tiers.values()) tier.removed(record);
    for (const snapshots of snapshotStreams) snapshots.removed(record);
  }

  write(moment: ReplicationMoment, snapshotStreams: readonly PlayerSnapshotStream[]): void {
    for (const tier of this.#tiers.values()) tier.gather();
    for (const snapshots of snapshotStreams) {
      if (snapshots.kinds.size === 0) continue;
      const tier = this.#tierOf(snapshots);
      tier.add(snapshots);
      snapshots.limitedBy(this.#limitsOf(snapshots, tier));
    }
    for (const [key, tier] of this.#tiers) {
      if (tier.isEmpty) this.#tiers.delete(key);
      else tier.write(moment);
    }
  }

  /** The terms of a player that this tier overrides. */
  #limitsOf({ terms, termsKey: key }: PlayerSnapshotStream, tier: Tier): ViewLimits | undefined {
    const wanted = terms.bytesPerSecond;
    const isCut = wanted > this.#options.bytesPerSecond && wanted < Infinity;
    if (tier.key === key) return isCut ? this.#bytesLimit : undefined;
    return isCut ? this.#bothLimits : viewsLimit;
  }

  #tierOf({ terms, termsKey: key }: PlayerSnapshotStream): Tier {
    const known = this.#tiers.get(key);
    if (known) return known;
    const others = this.#tiers.size - (this.#tiers.has(EXACT_KEY) ? 1 : 0);
    return others < MAX_TIERS ? this.#begin(key, terms) : this.#exact();
  }

  #exact(): Tier {
    return this.#tiers.get(EXACT_KEY) ?? this.#begin(EXACT_KEY, exactTerms);
  }

  #begin(key: string, terms: Terms): Tier {
    const tier = new Tier({ ...this.#options, terms });
    this.#tiers.set(key, tier);
    return tier;
  }
}
