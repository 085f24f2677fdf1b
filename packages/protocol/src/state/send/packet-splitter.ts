import type { EntityRows } from "../plan/entity-rows.js";
import { MAX_ENTITIES, PacketEntries } from "../codec/packet-entries.js";
import type { SharedWriter } from "./shared-writer.js";
import type { SnapshotContent } from "./snapshot-writer.js";

const FIRST_GUESS_BYTES = 24;
/** Whole numbers need no new object when they change. */
const GUESS_UNITS = 64;
/** A guess aims at this share of the budget, so that few guesses turn out too large. */
const GUESS_SHARE = 0.9;

/** Calls of a packet splitter to its sender. */
export interface SplitJob {
  readonly maxBytes: number;
  /** A checksum goes along once in so many ticks. */
  readonly checksumTicks: number;
  tick: number;
  /** Ids to tell as removed. */
  removed: readonly number[];
  /** Sets the baselines of the entry that was just added. */
  choose(entries: PacketEntries, index: number): void;
  /** A packet is ready; the body is a view that does not last. */
  take(body: Uint8Array, entries: PacketEntries, removed: readonly number[]): void;
}

const NONE: readonly number[] = [];
/** A removal costs 16 bits; the rest of the packet keeps room. */
const REMOVALS_PER_PACKET = 256;

/** Spreads entities over packets that keep within a budget. No entity is left out for want of room. */
export class PacketSplitter {
  readonly #writer: SharedWriter;
  readonly #entries = new PacketEntries();
  readonly #content: SnapshotContent = { tick: 0, entries: this.#entries, removed: NONE, checked: -1 };
  /** In GUESS_UNITS to the byte. */
  #sizeGuess = FIRST_GUESS_BYTES * GUESS_UNITS;
  /** The present period of checksums, counted in such periods. */
  #period = 0;
  #checkedTick = 0;

  constructor(writer: SharedWriter) {
    this.#writer = writer;
  }

  /** `given` in any order, each once, all with a state at the tick. */
  split(given: readonly EntityRows[], job: SplitJob): void {
    const { maxBytes } = job;
    const entities = isInOrder(given) ? given : [...given].sort((a, b) => a.id - b.id);
    let from = 0;
    let removals = 0;
    while (from < entities.length || removals < job.removed.length) {
      const removed =
        removals < job.removed.length ? job.removed.slice(removals, removals + REMOVALS_PER_PACKET) : NONE;
      let count = this.#guess(entities.length - from, maxBytes - removed.length * 2);
      let body = this.#write(entities, from, count, job, removed);
      while (body.length > maxBytes && count > 1) {
        count = Math.max(1, Math.min(count - 1, Math.floor((count * maxBytes * GUESS_SHARE) / body.length)));
        body = this.#write(entities, from, count, job, removed);
      }
      if (count > 0) this.#sizeGuess += ((body.length * GUESS_UNITS) / count - this.#sizeGuess) >> 3;
      job.take(body, this.#entries, removed);
      from += count;
      removals += removed.length;
    }
  }

  #guess(left: number, maxBytes: number): number {
    const fitting = Math.floor((maxBytes * GUESS_SHARE * GUESS_UNITS) / Math.max(1, this.#sizeGuess));
    return Math.min(left, Math.max(1, fitting), MAX_ENTITIES);
  }

  #write(
    entities: readonly EntityRows[],
    from: number,
    count: number,
    job: SplitJob,
    removed: readonly number[],
  ): Uint8Array {
    const { tick, checksumTicks } = job;
    const entries = this.#entries;
    entries.clear();
    for (let index = from; index < from + count; index++) {
      const entity = entities[index]!;
      job.choose(entries, entries.add(entity, entity.kind, entity.find(tick)));
    }
    const content = this.#content;
    content.tick = tick;
    content.removed = removed;
    content.checked = count > 0 && this.#isChecked(tick, checksumTicks) ? this.#period % count : -1;
    return this.#writer.write(content);
  }

  /** True for the first tick of each period that has states: a sender may leave out the same ticks in each period. */
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
