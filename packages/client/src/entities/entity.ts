import type { EntityDefinition, Field, GrowingListField, MapField, ValueOf } from "@paceline/protocol";
import type { ReadonlyFields, WritableFields } from "@paceline/netcode";
import type { Unsubscribe } from "../listeners.js";
import type { Peer } from "../peers/peer.js";

/**
 * An entity of a room, as every participant sees it: `Entity<typeof Car>`. Its fields hold the newest state.
 * Draw the values in `shown`.
 */
export type Entity<D extends EntityDefinition = EntityDefinition> = ReadonlyFields<D["fields"]> &
  EntityFacts<D> &
  Owner;

/**
 * An entity of this participant, as `Room.spawn` returns it. Write its fields: the SDK decides what to send
 * and when.
 */
export type OwnedEntity<D extends EntityDefinition = EntityDefinition> = WritableFields<D["fields"]> &
  EntityFacts<D> &
  Mine & {
    /** Makes the next written position a teleport: others see the entity there at once. */
    teleport(): void;
    /**
     * Distance to the nearest player who sees the entity, m; default 0: unknown. Beyond 50 m the send
     * threshold grows in proportion (twice at 100 m, at most eight times), since distant errors are less
     * visible.
     */
    viewDistanceM: number;
  };

interface EntityFacts<D extends EntityDefinition> {
  readonly id: number;
  /** The definition of the entity. */
  readonly kind: D;
  /** The fields to draw: extrapolated to now, without jumps. For an own entity, its present fields. */
  readonly shown: ReadonlyFields<D["fields"]>;
  /** Tick of the newest state, counted by the participant that simulates the entity. */
  readonly lastTick: number;
  /** Estimated age of the newest state, ms. */
  readonly ageMs: number;
  /**
   * Calls the listener after a received state or an own write has changed the field. The whole state, or the
   * whole vector, is in place by then. For a list or map of changing length it is called for each changed item. The
   * subscription ends with the entity. Throws {@link ConfigError} for
   * an unknown field.
   */
  onChange<Name extends keyof D["fields"] & string>(
    field: Name,
    listener: ChangeListener<D["fields"][Name]>,
  ): Unsubscribe;
}

/**
 * Called for a change of a field; of a list or map of changing length, for each changed item. An item without a value
 * was removed, one without a previous value is new.
 */
export type ChangeListener<F extends Field> = [F] extends [MapField<infer Item>]
  ? (key: string, value: ValueOf<Item> | undefined, previous: ValueOf<Item> | undefined) => void
  : [F] extends [GrowingListField<infer Item>]
    ? (index: number, value: ValueOf<Item> | undefined, previous: ValueOf<Item> | undefined) => void
    : (value: ValueOf<F>, previous: ValueOf<F>) => void;

interface Mine {
  readonly isMine: true;
  readonly owner: null;
}

type Owner =
  | Mine
  | {
      readonly isMine: false;
      /** The peer that owns the entity: a player, or the room's authority (number 0). */
      readonly owner: Peer;
    };
