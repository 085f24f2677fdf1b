import type { EntityRows } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { Player } from "../player.js";
import type { EntityRecord, World } from "../world.js";
import type { Feed } from "./feed.js";
import { Flock } from "./flock.js";
import { RoomReplication } from "./room-replication.js";

export interface BroadcastOptions {
  readonly world: World;
  readonly tickHz: number;
  readonly bytesPerSecond: number;
}

/** Tells all players of a room, tick by tick, what has to be told of its entities. */
export class Broadcast {
  readonly #world: World;
  readonly #tickHz: number;
  readonly #replication: RoomReplication;
  /** By the kinds that are told. */
  readonly #flocks = new Map<string, Flock>();
  readonly #alone: Feed[] = [];

  constructor(options: BroadcastOptions) {
    this.#world = options.world;
    this.#tickHz = options.tickHz;
    this.#replication = new RoomReplication(options);
  }

  /** Who owns the entity from now on is told at the next tick. */
  setOwner(record: EntityRecord, owner: Player | undefined): void {
    this.#world.setOwner(record, owner);
    this.force(record);
  }

  /** The entity is told at the next tick. */
  force(record: EntityRecord): void {
    this.#replication.force(record);
  }

  /** Its next state is a new place, no movement. */
  teleport(record: EntityRecord): void {
    this.#world.history.teleport(record.id);
    this.teleported(record);
  }

  /** The world says already that the entity has jumped. */
  teleported(record: EntityRecord): void {
    this.#replication.teleported(record);
  }

  /** Call before the world forgets it. */
  removed(record: EntityRecord, feeds: Iterable<Feed>): void {
    this.#replication.removed(record);
    for (const flock of this.#flocks.values()) flock.removed(record);
    for (const feed of feeds) feed.removed(record);
  }

  write(moment: ReplicationMoment, feeds: readonly Feed[]): void {
    const { tick } = moment;
    const due = this.#replication.due(
      moment,
      feeds.some(({ isInterpolated }) => isInterpolated),
    );
    this.#gather(tick, feeds);
    let bytes = 0;
    for (const [key, flock] of this.#flocks) {
      if (flock.isEmpty) this.#flocks.delete(key);
      else bytes = Math.max(bytes, this.#writeTo(flock, key, tick, due));
    }
    for (const feed of this.#alone) bytes = Math.max(bytes, feed.write(moment, due, this.#tickHz));
    // Nothing was told to anybody: that says nothing of how much a state takes.
    if (bytes > 0) this.#replication.spent(bytes, due.length);
  }

  /** Who goes with whom at this tick. */
  #gather(tick: number, feeds: readonly Feed[]): void {
    for (const flock of this.#flocks.values()) flock.gather();
    this.#alone.length = 0;
    for (const feed of feeds) {
      if (feed.kinds.size === 0) continue;
      const link = feed.line.isSlow() ? undefined : feed.line.inOrder();
      const flock = link && this.#flockOf(feed);
      if (link && flock && feed.goesWith(flock, link)) flock.add(feed);
      else if (link && flock && feed.mayEnter(tick)) flock.welcome(feed, link);
      else {
        feed.leave();
        this.#alone.push(feed);
      }
    }
  }

  #writeTo(flock: Flock, key: string, tick: number, due: readonly EntityRecord[]): number {
    const [told = "", everyTicks] = key.split("/");
    if (tick % Number(everyTicks) !== 0 && !flock.hasNewcomers) {
      flock.hold(due);
      return 0;
    }
    const kinds = new Set(told.split(",").map(Number));
    const rowsOf = (records: Iterable<EntityRecord>): EntityRows[] => {
      const rows: EntityRows[] = [];
      for (const record of records) if (kinds.has(record.kind)) rows.push(this.#world.rowsAt(record, tick));
      return rows;
    };
    return flock.write(
      tick,
      rowsOf(flock.takeHeld(due)),
      () => rowsOf(this.#world.records.values()),
      this.#tickHz,
    );
  }

  #flockOf({ group }: Feed): Flock {
    const known = this.#flocks.get(group);
    if (known) return known;
    const flock = new Flock(this.#world);
    this.#flocks.set(group, flock);
    return flock;
  }
}
