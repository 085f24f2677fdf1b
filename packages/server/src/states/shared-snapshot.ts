import { SharedSnapshotSender, limits, type EntityRows } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { Link } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import { REMOVAL_BYTES, type PlayerSnapshotStream } from "./player-snapshot-stream.js";
import type { DueCost } from "./room-replication.js";

/** Bytes of a packet's header, of its message's head, of the feedback, and of the link's own header. */
const HEADS_BYTES = 32;
/** Share of the members' budget that may pay for newcomers. */
const NEWCOMERS_SHARE = 0.1;
/** A sent packet counts as arrived at once, so the sender keeps the packets of one tick at most. */
const SEQUENCES = 64;

interface Newcomer {
  readonly snapshots: PlayerSnapshotStream;
  readonly link: Link;
}

/**
 * Encodes states once for all players with the same terms and kinds whose links keep order. On such a link
 * every sent packet arrives before the next one, so that it becomes the baseline at once. When a player
 * joins, the snapshot sends every entity whole to all, because the newcomer has no older baseline.
 */
export class SharedSnapshot {
  /** Counts the packets. A stream that missed one has another epoch. */
  epoch = 0;
  /** The baseline that all members hold. */
  sender: SharedSnapshotSender;
  readonly #world: World;
  readonly #members: PlayerSnapshotStream[] = [];
  readonly #newcomers: Newcomer[] = [];
  readonly #bytesPerSecond: number;
  #sequence = 0;
  /** The members have paid for the last newcomers until this time, ms. */
  #paidUntilMs = -Infinity;

  constructor(world: World, bytesPerSecond: number) {
    this.#world = world;
    this.#bytesPerSecond = bytesPerSecond;
    this.sender = this.#newSender();
  }

  get isEmpty(): boolean {
    return this.#members.length + this.#newcomers.length === 0;
  }

  /**
   * Returns true if newcomers may join now. The members get every entity for their sake, and a player that
   * reconnects again and again must not use up the members' lines. Until then it gets states of its own.
   */
  takesNewcomers(nowMs: number): boolean {
    return nowMs >= this.#paidUntilMs;
  }

  get hasNewcomers(): boolean {
    return this.#newcomers.length > 0;
  }

  /** Forgets an entity that left the world. */
  removed(record: EntityRecord): void {
    this.sender.remove(record.rows);
  }

  /** Empties the list of members. The room fills it again before each {@link write}. */
  clearMembers(): void {
    this.#members.length = 0;
    this.#newcomers.length = 0;
  }

  add(snapshots: PlayerSnapshotStream): void {
    this.#members.push(snapshots);
  }

  addNewcomer(snapshots: PlayerSnapshotStream, link: Link): void {
    this.#newcomers.push({ snapshots, link });
  }

  /**
   * Sends to all members. Returns what the due entities cost each; undefined if none is due, or newcomers join.
   */
  write(
    moment: ReplicationMoment,
    due: readonly EntityRows[],
    all: () => readonly EntityRows[],
    individualTicks: number,
  ): DueCost | undefined {
    if (this.#newcomers.length === 0) {
      const bytes = this.#send(moment, due, this.#members);
      return due.length > 0 ? { bytes, states: due.length } : undefined;
    }
    const rows = all();
    // Members get every entity for the newcomers' sake.
    const bytes = this.#members.length > 0 ? this.#send(moment, rows, this.#members) : 0;
    this.#paidUntilMs = moment.nowMs + (1000 * bytes) / (this.#bytesPerSecond * NEWCOMERS_SHARE);
    // Removals that no packet had room for.
    const { removals } = this.sender;
    this.sender = this.#newSender();
    this.sender.addRemovals(removals);
    const snapshotStreams = this.#newcomers.map(({ snapshots, link }) => {
      snapshots.join(this, link, moment.tick + individualTicks);
      this.sender.addRemovals(snapshots.removals);
      return snapshots;
    });
    this.#send(moment, rows, snapshotStreams);
    for (const snapshots of this.#members) snapshots.markSent(this);
    return undefined;
  }

  #send(
    { tick, nowMs }: ReplicationMoment,
    rows: readonly EntityRows[],
    snapshotStreams: readonly PlayerSnapshotStream[],
  ): number {
    // On an ordered link nobody asks for the arrival.
    const moment = { tick, nowMs, isFollowed: false };
    const first = this.#sequence;
    let bytes = 0;
    this.epoch += 1;
    for (const snapshots of snapshotStreams) snapshots.markSent(this);
    this.sender.start(tick, rows);
    for (let states = this.sender.next(); states; states = this.sender.next()) {
      const { body, removed } = states;
      for (const snapshots of snapshotStreams) {
        const sequence = snapshots.connection.send(body, 0, moment);
        if (sequence === undefined) snapshots.restart();
        else if (removed.length > 0) snapshots.announced(removed, sequence);
      }
      bytes += body.length + HEADS_BYTES - removed.length * REMOVAL_BYTES;
      states.sequence = this.#sequence = (this.#sequence + 1) % SEQUENCES;
    }
    for (let sequence = first; sequence !== this.#sequence;) {
      sequence = (sequence + 1) % SEQUENCES;
      this.sender.acknowledge(sequence);
    }
    return bytes;
  }

  #newSender(): SharedSnapshotSender {
    const { history, writer } = this.#world;
    return new SharedSnapshotSender({
      history,
      writer,
      maxBytes: limits.reliablePacketBytes / 2 - HEADS_BYTES,
    });
  }
}
