import { restore } from "@paceline/protocol";
import {
  REPEAT_AFTER_MS,
  ReceiverReplication,
  kinematicsOf,
  sendDecisionOf,
  type Kinematics,
  type ReplicationMoment,
  type ReplicationPolicy,
  type StateShortage,
} from "@paceline/netcode";
import type { EntityRecord, World } from "../entities/world.js";
import type { StateTerms } from "./state-terms.js";

export interface RoomReplicationOptions {
  readonly world: World;
  readonly tickHz: number;
  /** The room's limit of states for each player, packet headers included. */
  readonly bytesPerSecond: number;
  readonly terms: StateTerms;
  /** Error of positions up to which nothing is sent, whatever the thresholds are, m. Default 0. */
  readonly leastErrorM?: number;
  /** Called at each turn at which states wait because a player's budget is too small. */
  readonly onShortage?: ((shortage: BudgetShortage) => void) | undefined;
}

/** A budget of states that is too small for what is in the room. */
export interface BudgetShortage extends StateShortage {
  /** The budget in force: the room's, or that of the players' plans if that is smaller. */
  readonly bytesPerSecond: number;
}

/** Bytes and number of the due states that a player got in a tick. */
export interface DueCost {
  readonly bytes: number;
  readonly states: number;
}

/** The last sent state of an entity under these terms. */
interface SentState {
  /** Derives the same rates from the sent states as the receivers do. */
  readonly kinematics: Kinematics | undefined;
  /** The state as receivers decode it, because they extrapolate from that. */
  readonly row: Float32Array;
  tick: number;
}

/**
 * Chooses the entities that are due at a tick, for all players with equal terms. An entity is due if players
 * would see it off by more than the threshold, or if another field has changed. The threshold is the
 * definition's own, else the players', but at least one step of the field's precision.
 */
export class RoomReplication {
  readonly #world: World;
  readonly #policy: ReplicationPolicy;
  readonly #tickSeconds: number;
  readonly #replication: ReceiverReplication;
  readonly #onShortage: RoomReplicationOptions["onShortage"];
  readonly #sentStates = new Map<EntityRecord, SentState>();

  constructor({ world, tickHz, bytesPerSecond, terms, leastErrorM = 0, onShortage }: RoomReplicationOptions) {
    this.#world = world;
    this.#onShortage = onShortage;
    this.#tickSeconds = 1 / tickHz;
    this.#replication = new ReceiverReplication({
      tickSeconds: this.#tickSeconds,
      decisionOf: sendDecisionOf,
    });
    this.#policy = {
      positionThresholdM: terms.thresholdM,
      headingThresholdRad: terms.headingRad,
      leastErrorM,
      horizonMs: 0,
      minIntervalMs: 0,
      heartbeatMs: terms.heartbeatMs,
      movingHeartbeatMs: terms.movingHeartbeatMs,
      repeatAfterMs: terms.repeats ? REPEAT_AFTER_MS : 0,
      isInterpolated: terms.isInterpolated,
      bytesPerSecond: Math.min(bytesPerSecond, terms.bytesPerSecond),
      // Each player's record handles its own losses.
      lostAfterMs: Infinity,
    };
  }

  /** Limit of states for each player, bytes per second with heads. */
  get bytesPerSecond(): number {
    return this.#policy.bytesPerSecond;
  }

  /** The states that wait because the players' budget is too small; undefined if it suffices. */
  get shortage(): StateShortage | undefined {
    return this.#replication.shortage;
  }

  /** Returns the due entities of this tick, within the budget. `records`: the entities to look at. Default: all. */
  due(
    moment: ReplicationMoment,
    records: Iterable<EntityRecord> = this.#world.records.values(),
  ): readonly EntityRecord[] {
    const due = this.#replication.due(records, moment, this.#policy) as EntityRecord[];
    for (const record of due) this.#recordSent(record, moment);
    const { shortage } = this;
    if (shortage) this.#onShortage?.({ ...shortage, bytesPerSecond: this.bytesPerSecond });
    return due;
  }

  /** Notes what the due states of this tick have cost. Undefined bytes: unknown. */
  countSent(bytes: number | undefined, states: number): void {
    this.#replication.spent(bytes, states);
  }

  /** Returns the last tick at which the entity's state was sent; undefined before the first. */
  sentTick(record: EntityRecord): number | undefined {
    return this.#sentStates.get(record)?.tick;
  }

  /** Sends the entity at the next tick in any case. */
  force(record: EntityRecord): void {
    this.#replication.force([record.id]);
  }

  /** Marks an entity's next state as a teleport. */
  teleported(record: EntityRecord): void {
    this.#sentStates.get(record)?.kinematics?.restart();
    this.#replication.teleported(record.id);
  }

  removed(record: EntityRecord): void {
    this.#sentStates.delete(record);
    this.#replication.remove(record.id);
  }

  #recordSent(record: EntityRecord, moment: ReplicationMoment): void {
    const { tick } = moment;
    const rows = this.#world.rowsAt(record, tick);
    const sentState = this.#sentStateOf(record);
    const { row } = sentState;
    row.set(record.state);
    restore(rows.plan, rows.rows, rows.find(tick), row);
    sentState.kinematics?.derive(row, tick, this.#tickSeconds);
    sentState.tick = tick;
    this.#replication.sent(record, row, moment);
  }

  #sentStateOf(record: EntityRecord): SentState {
    const known = this.#sentStates.get(record);
    if (known) return known;
    const row = new Float32Array(record.state.length);
    const sentState = { kinematics: kinematicsOf(record.definition), row, tick: -1 };
    this.#sentStates.set(record, sentState);
    return sentState;
  }
}
