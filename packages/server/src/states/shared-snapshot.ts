import { SharedSnapshotSender, limits, type EntityRows } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { Link } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import type { PlayerSnapshotStream } from "./player-snapshot-stream.js";

/** Bytes of a packet's header, of its message's head, of the feedback, and of the link's own header. */
const HEADS_BYTES = 32;
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
  #sequence = 0;

  constructor(world: World) {
    this.#world = world;
    this.sender = this.#newSender();
  }

  get isEmpty(): boolean {
    return this.#members.length + this.#newcomers.length === 0;
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

  /** Sends to all members. Returns the bytes that each member's budget pays for the due entities. */
  write(
    moment: ReplicationMoment,
    due: readonly EntityRows[],
    all: () => readonly EntityRows[],
    individualTicks: number,
  ): number {
    if (this.#newcomers.length === 0) return this.#send(moment, due, this.#members);
    const rows = all();
    // Members get every entity for the newcomers' sake, so the budget charges them for the due ones alone.
    const whole = this.#members.length > 0 ? this.#send(moment, rows, this.#members) : 0;
    const bytes = Math.ceil((whole * due.length) / Math.max(1, rows.length));
    this.sender = this.#newSender();
    const snapshotStreams = this.#newcomers.map(({ snapshots, link }) => {
      snapshots.join(this, link, moment.tick + individualTicks);
      this.sender.addRemovals(snapshots.removals);
      return snapshots;
    });
    this.#send(moment, rows, snapshotStreams);
    for (const snapshots of this.#members) snapshots.markSent(this);
    return bytes;
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
      bytes += body.length + HEADS_BYTES;
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
