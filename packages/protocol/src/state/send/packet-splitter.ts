import type { EntityRows } from "../columns/entity-rows.js";
import { MAX_ENTITIES, PacketEntries } from "../codec/packet-entries.js";
import type { SnapshotContent, SnapshotWriter } from "./snapshot-writer.js";

const FIRST_GUESS_BYTES = 24;
/** Units per byte of the size guess. Whole numbers can change without an allocation. */
const GUESS_UNITS = 64;
/** Share of the budget that a guess aims at, so that few packets turn out too large. */
const GUESS_SHARE = 0.9;

/** The settings for splitting a tick into packets. */
export interface SplitJob {
  readonly maxBytes: number;
  /** Ticks from one checksum to the next. */
  readonly checksumTicks: number;
  tick: number;
  /** Ids of removed entities. */
  removed: readonly number[];
  /** Sets the baselines of the entry that was just added. */
  choose(entries: PacketEntries, index: number): void;
}

const NONE: readonly number[] = [];
/** Limit of removals in a packet: 16 bits each, so that the rest of the packet keeps space. */
const REMOVALS_PER_PACKET = 256;

/** Spreads entities over packets within a byte budget. Every entity gets into a packet. */
export class PacketSplitter {
  /** Entries of the packet that {@link next} returned. */
  readonly entries = new PacketEntries();
  removed: readonly number[] = NONE;
  readonly #writer: Pick<SnapshotWriter, "write">;
  readonly #content: SnapshotContent = { tick: 0, entries: this.entries, removed: NONE, checked: -1 };
  #job: SplitJob | undefined;
  /** Entities in ascending order of id. Packets contain those before `from`. */
  #entities: readonly EntityRows[] = [];
  #from = 0;
  /** Number of removals that packets contain. */
  #removals = 0;
  /** Expected bytes per entity, times GUESS_UNITS. */
  #sizeGuess = FIRST_GUESS_BYTES * GUESS_UNITS;
  #period = 0;
  #checkedTick = 0;

  constructor(writer: Pick<SnapshotWriter, "write">) {
    this.#writer = writer;
  }

  /**
   * Begins a tick, before {@link next}. `given`: entities in any order, each once, all with a state at the
   * tick.
   */
  split(given: readonly EntityRows[], job: SplitJob): void {
    this.#job = job;
    this.#entities = isInOrder(given) ? given : [...given].sort((a, b) => a.id - b.id);
    this.#from = 0;
    this.#removals = 0;
  }

  /**
   * Returns the body of the tick's next packet, as a view until the next write; undefined after the last one.
   */
  next(): Uint8Array | undefined {
    const job = this.#job;
    const from = this.#from;
    const left = this.#entities.length - from;
    if (!job || (left === 0 && this.#removals >= job.removed.length)) return undefined;
    const { maxBytes } = job;
    const isRemoving = this.#removals < job.removed.length;
    this.removed = isRemoving
      ? job.removed.slice(this.#removals, this.#removals + REMOVALS_PER_PACKET)
      : NONE;
    let count = this.#guess(left, maxBytes - this.removed.length * 2);
    let body = this.#write(from, count, job);
    while (body.length > maxBytes && count > 1) {
      count = Math.max(1, Math.min(count - 1, Math.floor((count * maxBytes * GUESS_SHARE) / body.length)));
      body = this.#write(from, count, job);
    }
    if (count > 0) this.#sizeGuess += ((body.length * GUESS_UNITS) / count - this.#sizeGuess) >> 3;
    this.#from += count;
    this.#removals += this.removed.length;
    return body;
  }

  #guess(left: number, maxBytes: number): number {
    const fitting = Math.floor((maxBytes * GUESS_SHARE * GUESS_UNITS) / Math.max(1, this.#sizeGuess));
    return Math.min(left, Math.max(1, fitting), MAX_ENTITIES);
  }

  #write(from: number, count: number, job: SplitJob): Uint8Array {
    const { tick, checksumTicks } = job;
    const { entries } = this;
    entries.clear();
    for (let index = from; index < from + count; index++) {
      const entity = this.#entities[index]!;
      job.choose(entries, entries.add(entity, entity.kind, entity.find(tick)));
    }
    const content = this.#content;
    content.tick = tick;
    content.removed = this.removed;
    content.checked = count > 0 && this.#isChecked(tick, checksumTicks) ? this.#period % count : -1;
    return this.#writer.write(content);
  }

  /**
   * Returns true for the first tick with states in each period. A fixed tick of the period would not work,
   * because a sender may skip it every time.
   */
  #isChecked(tick: number, checksumTicks: number): boolean {
    const period = Math.floor(tick / checksumTicks);
    if (period !== this.#period) {
      this.#period = period;
      this.#checkedTick = tick;
    }
    return tick === this.#checkedTick;
  }
}

function isInOrder(entities: readonly EntityRows[]): boolean {
  for (let index = 1; index < entities.length; index++) {
    if (entities[index - 1]!.id >= entities[index]!.id) return false;
  }
  return true;
}
