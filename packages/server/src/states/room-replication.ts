import { restore } from "@paceline/protocol";
import { ReceiverReplication, type ReplicationMoment, type ReplicationPolicy } from "@paceline/netcode";
import type { EntityRecord, World } from "../world.js";

export interface RoomReplicationOptions {
  readonly world: World;
  readonly tickHz: number;
  /** States for each player, heads included. */
  readonly bytesPerSecond: number;
}

/** What rests is told of so often all the same: receivers keep their clocks by it. */
const HEARTBEAT_MS = 2000;
/** Clients stop to move on what they hear nothing of, the most careful profiles after 250 ms. */
const MOVING_HEARTBEAT_MS = 150;

/**
 * What has to be told of a room's entities at a tick, the same to all players: those that will be shown more than their
 * threshold off (by default a step of the field's precision), and those whose other fields have changed.
 */
export class RoomReplication {
  readonly #world: World;
  readonly #policy: ReplicationPolicy;
  readonly #interpolated: ReplicationPolicy;
  readonly #tickSeconds: number;
  readonly #replication: ReceiverReplication;
  #row = new Float32Array(64);

  constructor({ world, tickHz, bytesPerSecond }: RoomReplicationOptions) {
    this.#world = world;
    this.#tickSeconds = 1 / tickHz;
    this.#replication = new ReceiverReplication({ tickSeconds: this.#tickSeconds });
    this.#policy = {
      // A definition that names no threshold is told exactly: to a step.
      positionThresholdM: 0,
      headingThresholdRad: 0,
      horizonMs: 0,
      minIntervalMs: 0,
      heartbeatMs: HEARTBEAT_MS,
      movingHeartbeatMs: MOVING_HEARTBEAT_MS,
      repeatAfterMs: 0,
      bytesPerSecond,
      // What a player has lost is that player's feed's matter.
      lostAfterMs: Number.POSITIVE_INFINITY,
    };
    this.#interpolated = { ...this.#policy, isInterpolated: true };
  }

  /** What to tell at this tick, as far as the budget goes. `isInterpolated`: a player shows entities between states. */
  due(moment: ReplicationMoment, isInterpolated: boolean): readonly EntityRecord[] {
    const policy = isInterpolated ? this.#interpolated : this.#policy;
    const due = this.#replication.due(this.#world.records.values(), moment, policy) as EntityRecord[];
    for (const record of due) this.#sent(record, moment);
    return due;
  }

  /** Of that tick so many bytes left for a player, with that many states. */
  spent(bytes: number, states: number): void {
    this.#replication.spent(bytes, states);
  }

  /** The entity is told at the next tick, whatever is thought to be known of it. */
  force(record: EntityRecord): void {
    this.#replication.force([record.id]);
  }

  /** Its next state is a new place, no movement. */
  teleported(record: EntityRecord): void {
    record.kinematics?.restart();
    this.#replication.teleported(record.id);
  }

  removed(record: EntityRecord): void {
    this.#replication.remove(record.id);
  }

  /** Receivers continue what they read, with what they derive from it. */
  #sent(record: EntityRecord, moment: ReplicationMoment): void {
    const { tick } = moment;
    const rows = this.#world.rowsAt(record, tick);
    const { state } = record;
    if (this.#row.length < state.length) this.#row = new Float32Array(state.length * 2);
    const row = this.#row.subarray(0, state.length);
    row.set(state);
    restore(rows.plan, rows.rows, rows.find(tick), row);
    record.kinematics?.derive(row, tick, this.#tickSeconds);
    record.sentTick = tick;
    this.#replication.sent(record, row, moment);
  }
}
