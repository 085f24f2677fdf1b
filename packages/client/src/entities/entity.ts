import type { EntityDefinition, ValueOf } from "@paceline/protocol";
import type { ReadonlyFields, WritableFields } from "@paceline/netcode";
import type { Unsubscribe } from "../events/listeners.js";
import type { Peer } from "../peers/peer.js";

/**
 * An entity of a room, as everybody sees it: `Entity<typeof Car>`. The fields themselves are its newest state, `shown` is
 * what to draw.
 */
export type Entity<D extends EntityDefinition = EntityDefinition> = ReadonlyFields<D["fields"]> &
  EntityFacts<D> &
  Owner;

/** An entity of this participant, as {@link Room.spawn} returns it: write its fields, the SDK decides what is sent when. */
export type OwnedEntity<D extends EntityDefinition = EntityDefinition> = WritableFields<D["fields"]> &
  EntityFacts<D> &
  Mine & {
    /** Makes the next written position a teleport: others see the entity there at once. */
    teleport(): void;
    /**
     * How far away the nearest player is who sees it, m: beyond 50 m others are told less exactly, since they see less
     * exactly too; of twice that, to twice the threshold, up to eight times. 0, as it begins, says that nobody knows.
     */
    viewDistanceM: number;
  };

interface EntityFacts<D extends EntityDefinition> {
  readonly id: number;
  /** The definition of the entity. */
  readonly kind: D;
  /** Continued to now and freed of jumps. One's own entity is where it is. */
  readonly shown: ReadonlyFields<D["fields"]>;
  /** Tick of the newest state, as the one who simulates the entity counts them. */
  readonly lastTick: number;
  /** Estimated age of the newest state, ms. */
  readonly ageMs: number;
  /**
   * Calls the listener when a field has got another value, by a state that came or by a write of one's own: after the whole
   * state, or the whole vector, is there. It ends with the entity. Throws {@link ConfigError} for what is no field.
   */
  onChange<Name extends keyof D["fields"] & string>(
    field: Name,
    listener: (value: ValueOf<D["fields"][Name]>, previous: ValueOf<D["fields"][Name]>) => void,
  ): Unsubscribe;
}

interface Mine {
  readonly isMine: true;
  readonly owner: null;
}

type Owner =
  | Mine
  | {
      readonly isMine: false;
      /** Whom it belongs to: a player, or the room's authority (number 0). */
      readonly owner: Peer;
    };
