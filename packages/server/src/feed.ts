import {
  ByteWriter,
  SnapshotSender,
  limits,
  writeFeedback,
  type EntityRows,
  type InputFeedback,
  type KindInfo,
} from "@paceline/protocol";
import type { EntityRecord, World } from "./world.js";

/** Header of a packet, head of its message, feedback. */
const HEADS_BYTES = 40;
/** After the first acknowledgement everything goes once more: the rest of what was lost of the first. */
const TICKS_OF_ALL = 3;

export interface FeedOptions {
  readonly world: World;
  /** Sends a body of states; the sequence of its packet, or undefined where nothing was sent. */
  send(body: Uint8Array, key: number): number | undefined;
}

/** What one player is told of the world: states against those that have arrived, of the kinds that its game knows. */
export class Feed {
  readonly #world: World;
  readonly #sender: SnapshotSender;
  readonly #options: FeedOptions;
  readonly #writer = new ByteWriter(limits.unreliablePacketBytes);
  readonly #due: EntityRows[] = [];
  readonly #kinds = new Set<number>();
  #allUntilTick = Number.POSITIVE_INFINITY;
  #tick = 0;

  constructor(options: FeedOptions) {
    const { world } = options;
    this.#options = options;
    this.#world = world;
    this.#sender = new SnapshotSender({
      history: world.history,
      writer: world.writer,
      maxBytes: limits.unreliablePacketBytes - HEADS_BYTES,
    });
  }

  /** The player's game reads these kinds; the first one that the room describes otherwise is returned, by name. */
  setKinds(kinds: readonly KindInfo[]): string | undefined {
    this.#kinds.clear();
    let other: string | undefined;
    const mine = this.#world.kinds;
    for (const { name, stateHash } of kinds) {
      const kind = mine.findIndex((each) => each.name === name);
      if (kind >= 0 && mine[kind]!.stateHash === stateHash) this.#kinds.add(kind);
      else other ??= name;
    }
    this.restart();
    return other;
  }

  /** Everything goes whole. */
  restart(): void {
    this.#sender.restart();
    this.#allUntilTick = Number.POSITIVE_INFINITY;
  }

  /** The player's state of that entity is not to be relied on. */
  resync(id: number): void {
    const record = this.#world.records.get(id);
    if (!record) return;
    this.#sender.resync(record.rows);
    record.changedTick = this.#tick;
  }

  acknowledge(sequence: number): void {
    this.#sender.acknowledge(sequence);
    if (this.#allUntilTick === Number.POSITIVE_INFINITY) this.#allUntilTick = this.#tick + TICKS_OF_ALL;
  }

  removed(record: EntityRecord): void {
    if (this.#kinds.has(record.kind)) this.#sender.remove(record.rows);
  }

  /** Sends what is due. `isShown` leaves entities out that the player simulates itself. */
  write(
    tick: number,
    due: readonly EntityRecord[],
    feedback: InputFeedback,
    isShown: (record: EntityRecord) => boolean,
  ): void {
    this.#tick = tick;
    const wanted = tick <= this.#allUntilTick ? this.#world.records.values() : due;
    this.#due.length = 0;
    for (const record of wanted) {
      if (this.#kinds.has(record.kind) && isShown(record)) this.#due.push(record.rows);
    }
    let packets = 0;
    this.#sender.write(tick, this.#due, (body) => {
      packets += 1;
      writeFeedback(this.#writer.reset(), feedback).bytes(body);
      return this.#options.send(this.#writer.take(), packets) ?? -1;
    });
  }
}
