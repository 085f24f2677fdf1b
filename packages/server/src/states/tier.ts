import type { EntityRows } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { EntityRecord, World } from "../entities/world.js";
import type { PlayerSnapshotStream } from "./player-snapshot-stream.js";
import { SharedSnapshot } from "./shared-snapshot.js";
import { RoomReplication, type DueCost, type RoomReplicationOptions } from "./room-replication.js";
import { termsKey } from "./state-terms.js";

/** Largest difference between acknowledged ticks of players that share an encoding, s. */
const ALIGNMENT_SECONDS = 0.1;

/**
 * Returns the cost that counts for all players of a tier: that of most states, and of the fewest bytes. A bad
 * line needs more bytes for the same states. That player's own budget pays for them.
 */
function cheaper(one: DueCost | undefined, other: DueCost | undefined): DueCost | undefined {
  if (!one || !other) return one ?? other;
  if (one.states !== other.states) return one.states > other.states ? one : other;
  return one.bytes <= other.bytes ? one : other;
}

/**
 * The players of a room with equal terms. Finds the due entities, and groups the players for shared packets.
 */
export class Tier {
  /** See {@link termsKey}. */
  readonly key: string;
  readonly replication: RoomReplication;
  readonly #world: World;
  readonly #tickHz: number;
  readonly #everyTicks: number;
  /** The room's limit for each player. */
  readonly #maxBytesPerSecond: number;
  readonly #sharedSnapshots = new Map<string, SharedSnapshot>();
  readonly #snapshotStreams: PlayerSnapshotStream[] = [];
  readonly #individual: PlayerSnapshotStream[] = [];

  constructor(options: RoomReplicationOptions) {
    this.key = termsKey(options.terms);
    this.#world = options.world;
    this.#tickHz = options.tickHz;
    this.#everyTicks = options.terms.everyTicks;
    this.#maxBytesPerSecond = options.bytesPerSecond;
    this.replication = new RoomReplication(options);
  }

  get isEmpty(): boolean {
    return this.#snapshotStreams.length === 0;
  }

  /** Empties the list of members. The room fills it again before each {@link write}. */
  clearMembers(): void {
    this.#snapshotStreams.length = 0;
  }

  add(snapshots: PlayerSnapshotStream): void {
    this.#snapshotStreams.push(snapshots);
  }

  /** Forgets an entity that left the world. */
  removed(record: EntityRecord): void {
    this.replication.removed(record);
    for (const [kinds, sharedSnapshot] of this.#sharedSnapshots)
      if (kindsOf(kinds).has(record.kind)) sharedSnapshot.removed(record);
  }

  /**
   * Sends the due entities of this tick to all members. Newcomers get all entities, even between two turns.
   */
  write(moment: ReplicationMoment): void {
    const { tick } = moment;
    const isTurn = tick % this.#everyTicks === 0;
    const due = isTurn ? this.replication.due(moment) : [];
    this.#assign(moment);
    let cost: DueCost | undefined;
    for (const [kinds, sharedSnapshot] of this.#sharedSnapshots) {
      if (sharedSnapshot.isEmpty) this.#sharedSnapshots.delete(kinds);
      else if (isTurn || sharedSnapshot.hasNewcomers) {
        const all = (): EntityRows[] => this.#rowsOf(kinds, this.#world.records.values(), tick);
        const rows = this.#rowsOf(kinds, due, tick);
        cost = cheaper(cost, sharedSnapshot.write(moment, rows, all, this.#tickHz));
      }
    }
    cost = cheaper(cost, this.#writeIndividual(moment, due, isTurn));
    if (due.length > 0) this.replication.countSent(cost?.bytes, due.length);
  }

  /**
   * Sends to the players outside the shared snapshots, by their own acknowledged baselines. Returns the
   * cost of the due states; undefined if every player got other states too, or none.
   */
  #writeIndividual(
    moment: ReplicationMoment,
    due: readonly EntityRecord[],
    isTurn: boolean,
  ): DueCost | undefined {
    if (this.#individual.length === 0) return undefined;
    const { tick } = moment;
    this.#alignBaselines();
    const rows = new Map<string, readonly EntityRows[]>();
    const rowsOf = ({ kindsKey, kinds }: PlayerSnapshotStream): readonly EntityRows[] => {
      const known = rows.get(kindsKey);
      if (known) return known;
      const ownRows = due
        .filter(({ kind }) => kinds.has(kind))
        .map((record) => this.#world.rowsAt(record, tick));
      rows.set(kindsKey, ownRows);
      return ownRows;
    };
    const sentTick = (record: EntityRecord): number | undefined => this.replication.sentTick(record);
    const turn = { due, rowsOf, isTurn, sentTick, maxBytesPerSecond: this.#maxBytesPerSecond };
    let cost: DueCost | undefined;
    for (const snapshots of this.#individual)
      cost = cheaper(cost, snapshots.write(moment, turn, this.#tickHz));
    return cost;
  }

  /**
   * Settles streams together if their acknowledgements lie close to each other: they then have the same
   * baseline, and share one encoding. A stream that lags further holds up no other.
   */
  #alignBaselines(): void {
    const spread = Math.max(2 * this.#everyTicks, Math.round(ALIGNMENT_SECONDS * this.#tickHz));
    const arrived = this.#individual
      .map((snapshots) => ({ snapshots, tick: snapshots.arrivedTick(spread) }))
      .filter((each): each is { snapshots: PlayerSnapshotStream; tick: number } => each.tick !== undefined)
      .sort((a, b) => b.tick - a.tick);
    for (let from = 0; from < arrived.length;) {
      let to = from + 1;
      while (to < arrived.length && arrived[from]!.tick - arrived[to]!.tick <= spread) to += 1;
      const { tick } = arrived[to - 1]!;
      for (; from < to; from++) arrived[from]!.snapshots.rebase(tick);
    }
  }

  #assign({ tick, nowMs }: ReplicationMoment): void {
    for (const sharedSnapshot of this.#sharedSnapshots.values()) sharedSnapshot.clearMembers();
    this.#individual.length = 0;
    for (const snapshots of this.#snapshotStreams) {
      snapshots.isSlow = snapshots.connection.isSlow(nowMs);
      // A player whose terms the room does not follow keeps to its own budget, so it shares no packets.
      const isAlone = snapshots.isSlow || snapshots.termsKey !== this.key;
      const link = isAlone ? undefined : snapshots.connection.inOrder();
      const sharedSnapshot = link && this.#sharedSnapshotOf(snapshots);
      if (link && sharedSnapshot && snapshots.isMemberOf(sharedSnapshot, link)) sharedSnapshot.add(snapshots);
      else if (link && sharedSnapshot?.takesNewcomers(nowMs) && snapshots.mayJoin(tick))
        sharedSnapshot.addNewcomer(snapshots, link);
      else {
        snapshots.leave();
        this.#individual.push(snapshots);
      }
    }
  }

  #rowsOf(key: string, records: Iterable<EntityRecord>, tick: number): EntityRows[] {
    const kinds = kindsOf(key);
    const rows: EntityRows[] = [];
    for (const record of records) if (kinds.has(record.kind)) rows.push(this.#world.rowsAt(record, tick));
    return rows;
  }

  #sharedSnapshotOf({ kindsKey }: PlayerSnapshotStream): SharedSnapshot {
    const known = this.#sharedSnapshots.get(kindsKey);
    if (known) return known;
    const sharedSnapshot = new SharedSnapshot(this.#world, this.replication.bytesPerSecond);
    this.#sharedSnapshots.set(kindsKey, sharedSnapshot);
    return sharedSnapshot;
  }
}

/** Returns the kinds of a {@link PlayerSnapshotStream.kindsKey}. */
function kindsOf(key: string): ReadonlySet<number> {
  return new Set(key.split(",").map(Number));
}
