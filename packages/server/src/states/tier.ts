import type { EntityRows } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { EntityRecord, World } from "../entities/world.js";
import type { PlayerSnapshotStream } from "./player-snapshot-stream.js";
import { SharedSnapshot } from "./shared-snapshot.js";
import { RoomReplication, type RoomReplicationOptions } from "./room-replication.js";
import { termsKey } from "./terms.js";

/** So much older states are built on for one player, that they are encoded once for several. */
const SETTLING_SECONDS = 0.1;

/** The players of a room with equal terms: finds the due entities, and groups the players for shared packets. */
export class Tier {
  /** See {@link termsKey}. */
  readonly key: string;
  readonly #world: World;
  readonly #tickHz: number;
  readonly #everyTicks: number;
  readonly #replication: RoomReplication;
  /** Shared snapshots by their kinds of entities. */
  readonly #sharedSnapshots = new Map<string, SharedSnapshot>();
  readonly #snapshotStreams: PlayerSnapshotStream[] = [];
  readonly #alone: PlayerSnapshotStream[] = [];

  constructor(options: RoomReplicationOptions) {
    this.key = termsKey(options.terms);
    this.#world = options.world;
    this.#tickHz = options.tickHz;
    this.#everyTicks = options.terms.everyTicks;
    this.#replication = new RoomReplication(options);
  }

  get isEmpty(): boolean {
    return this.#snapshotStreams.length === 0;
  }

  /** Empties the list of members. The room fills it again before each {@link write}. */
  gather(): void {
    this.#snapshotStreams.length = 0;
  }

  add(snapshots: PlayerSnapshotStream): void {
    this.#snapshotStreams.push(snapshots);
  }

  /** Sends the entity at the next turn of this tier. */
  force(record: EntityRecord): void {
    this.#replication.force(record);
  }

  /** Notes that an entity's next state is a new place, no movement. */
  teleported(record: EntityRecord): void {
    this.#replication.teleported(record);
  }

  /** The world forgets it. */
  removed(record: EntityRecord): void {
    this.#replication.removed(record);
    for (const sharedSnapshot of this.#sharedSnapshots.values()) sharedSnapshot.removed(record);
  }

  /** Tells all of them what is due at this tick: those who are new between two turns, everything. */
  write(moment: ReplicationMoment): void {
    const { tick } = moment;
    const isTurn = tick % this.#everyTicks === 0;
    const due = isTurn ? this.#replication.due(moment) : [];
    this.#assign(tick);
    let bytes = 0;
    for (const [kinds, sharedSnapshot] of this.#sharedSnapshots) {
      if (sharedSnapshot.isEmpty) this.#sharedSnapshots.delete(kinds);
      else if (isTurn || sharedSnapshot.hasNewcomers) {
        const all = (): EntityRows[] => this.#rowsOf(kinds, this.#world.records.values(), tick);
        const rows = this.#rowsOf(kinds, due, tick);
        bytes = Math.max(bytes, sharedSnapshot.write(tick, rows, all, this.#tickHz));
      }
    }
    const aloneBytes = this.#tellAlone(moment, due, isTurn);
    // A player that has lost states, or asks for them again, costs more: the budget of the others does not pay for it.
    bytes ||= aloneBytes;
    // Nothing was told to anybody: that says nothing of how much a state takes.
    if (bytes > 0) this.#replication.spent(bytes, due.length);
  }

  /** Tells each of those by what has arrived at it. Returns how many bytes left for the one in the middle. */
  #tellAlone(moment: ReplicationMoment, due: readonly EntityRecord[], isTurn: boolean): number {
    if (this.#alone.length === 0) return 0;
    const { tick } = moment;
    this.#settle();
    const rows = new Map<string, readonly EntityRows[]>();
    const rowsOf = ({ kindsKey, kinds }: PlayerSnapshotStream): readonly EntityRows[] => {
      const known = rows.get(kindsKey);
      if (known) return known;
      const theirs = due
        .filter(({ kind }) => kinds.has(kind))
        .map((record) => this.#world.rowsAt(record, tick));
      rows.set(kindsKey, theirs);
      return theirs;
    };
    const toldTick = (record: EntityRecord): number | undefined => this.#replication.toldTick(record);
    const turn = { due, rowsOf, isTurn, toldTick };
    const bytes: number[] = [];
    for (const snapshots of this.#alone) {
      const written = snapshots.write(moment, turn, this.#tickHz);
      if (written > 0) bytes.push(written);
    }
    return bytes.sort((a, b) => a - b)[(bytes.length - 1) >> 1] ?? 0;
  }

  /**
   * Settles several streams at once if their acknowledgements lie close to each other: so they hold
   * the same, and one encoding serves them. Nobody waits for one who is further behind.
   */
  #settle(): void {
    const spread = Math.max(2 * this.#everyTicks, Math.round(SETTLING_SECONDS * this.#tickHz));
    const arrived = this.#alone
      .map((snapshots) => ({ snapshots, tick: snapshots.arrivedTick(spread) }))
      .filter((each): each is { snapshots: PlayerSnapshotStream; tick: number } => each.tick !== undefined)
      .sort((a, b) => b.tick - a.tick);
    for (let from = 0; from < arrived.length;) {
      let to = from + 1;
      while (to < arrived.length && arrived[from]!.tick - arrived[to]!.tick <= spread) to += 1;
      const { tick } = arrived[to - 1]!;
      for (; from < to; from++) arrived[from]!.snapshots.settle(tick);
    }
  }

  /** Groups the streams of this tick. */
  #assign(tick: number): void {
    for (const sharedSnapshot of this.#sharedSnapshots.values()) sharedSnapshot.gather();
    this.#alone.length = 0;
    for (const snapshots of this.#snapshotStreams) {
      const link = snapshots.line.isSlow() ? undefined : snapshots.line.inOrder();
      const sharedSnapshot = link && this.#flockOf(snapshots);
      if (link && sharedSnapshot && snapshots.goesWith(sharedSnapshot, link)) sharedSnapshot.add(snapshots);
      else if (link && sharedSnapshot && snapshots.mayEnter(tick)) sharedSnapshot.welcome(snapshots, link);
      else {
        snapshots.leave();
        this.#alone.push(snapshots);
      }
    }
  }

  /** The rows of those records that are of these kinds. */
  #rowsOf(key: string, records: Iterable<EntityRecord>, tick: number): EntityRows[] {
    const kinds = new Set(key.split(",").map(Number));
    const rows: EntityRows[] = [];
    for (const record of records) if (kinds.has(record.kind)) rows.push(this.#world.rowsAt(record, tick));
    return rows;
  }

  #flockOf({ kindsKey }: PlayerSnapshotStream): SharedSnapshot {
    const known = this.#sharedSnapshots.get(kindsKey);
    if (known) return known;
    const sharedSnapshot = new SharedSnapshot(this.#world);
    this.#sharedSnapshots.set(kindsKey, sharedSnapshot);
    return sharedSnapshot;
  }
}
