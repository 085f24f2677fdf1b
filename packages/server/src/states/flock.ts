import { SnapshotSender, limits, type EntityRows } from "@paceline/protocol";
import type { Link } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import type { Feed } from "./feed.js";

/** Header of a packet, head of its message, feedback; of the link's own. */
const HEADS_BYTES = 32;
/** What is sent counts as arrived at once: of packets on the way no more than those of one tick are kept. */
const SEQUENCES = 64;

interface Newcomer {
  readonly feed: Feed;
  readonly link: Link;
}

/**
 * Players who are told the same, over links that bring everything in its order: what has been sent will have arrived
 * before what is sent next, so it can be built on at once, and all of it is encoded once for all of them. When somebody
 * comes, everybody is told of everything; from then on nothing refers to what was before, which the new one lacks.
 */
export class Flock {
  /** Counts what was told: who has missed nothing goes on. */
  epoch = 0;
  /** What its members hold. */
  sender: SnapshotSender;
  readonly #world: World;
  readonly #members: Feed[] = [];
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

  /** The world forgets it. */
  removed(record: EntityRecord): void {
    this.sender.remove(record.rows);
  }

  /** Before each tick's {@link write}: who is there is said anew. */
  gather(): void {
    this.#members.length = 0;
    this.#newcomers.length = 0;
  }

  add(feed: Feed): void {
    this.#members.push(feed);
  }

  welcome(feed: Feed, link: Link): void {
    this.#newcomers.push({ feed, link });
  }

  /** Tells all of them. Returns how many bytes left for each member for what was due. */
  write(
    tick: number,
    due: readonly EntityRows[],
    all: () => readonly EntityRows[],
    aloneTicks: number,
  ): number {
    if (this.#newcomers.length === 0) return this.#tell(tick, due, this.#members);
    const rows = all();
    // Members get every entity for the newcomers' sake, so the budget charges them for the due ones alone.
    const whole = this.#members.length > 0 ? this.#tell(tick, rows, this.#members) : 0;
    const bytes = Math.ceil((whole * due.length) / Math.max(1, rows.length));
    this.sender = this.#newSender();
    const feeds = this.#newcomers.map(({ feed, link }) => {
      feed.enter(this, link, tick + aloneTicks);
      return feed;
    });
    this.#tell(tick, rows, feeds);
    for (const feed of this.#members) feed.toldWith(this);
    return bytes;
  }

  #tell(tick: number, rows: readonly EntityRows[], feeds: readonly Feed[]): number {
    const first = this.#sequence;
    let bytes = 0;
    this.epoch += 1;
    for (const feed of feeds) feed.toldWith(this);
    this.sender.write(tick, rows, (states) => {
      for (const feed of feeds) if (feed.line.send(states, 0) === undefined) feed.restart();
      bytes += states.length + HEADS_BYTES;
      this.#sequence = (this.#sequence + 1) % SEQUENCES;
      return this.#sequence;
    });
    for (let sequence = first; sequence !== this.#sequence;) {
      sequence = (sequence + 1) % SEQUENCES;
      this.sender.acknowledge(sequence);
    }
    return bytes;
  }

  #newSender(): SnapshotSender {
    const { history, writer } = this.#world;
    return new SnapshotSender({ history, writer, maxBytes: limits.reliablePacketBytes / 2 - HEADS_BYTES });
  }
}
