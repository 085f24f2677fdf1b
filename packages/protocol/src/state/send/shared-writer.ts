import { PacketEntries } from "../codec/packet-entries.js";
import { SharedTicks } from "./shared-ticks.js";
import { SnapshotWriter, type SnapshotContent } from "./snapshot-writer.js";
import type { StatePlan } from "../columns/state-plan.js";
import { Views } from "../codec/bit-coder.js";

/** Limit of packets kept per tick for receivers with equal baselines. */
const VARIANTS = 16;

interface Variant {
  readonly entries: PacketEntries;
  checked: number;
  tag: number;
  readonly body: Views;
  length: number;
}

/**
 * Writes a packet once for all receivers that hold the same baselines. Reuses its memory from tick to tick.
 */
export class SharedWriter {
  readonly #writer: SnapshotWriter;
  readonly #variants: Variant[] = [];
  #tick = Number.NaN;
  /** Ticks that senders share without comparing entries. */
  readonly ticks = new SharedTicks();
  /**
   * Counts ticks (`epoch`), and packets kept in this tick (`kept`). The last {@link VARIANTS} are still
   * available.
   */
  epoch = 0;
  kept = 0;
  /** Number of the packet written last; 0 if only one receiver gets it. */
  tag = 0;
  #lastTag = 0;
  /** Counts encoded packets, and packets reused from an earlier receiver. */
  encoded = 0;
  reused = 0;

  constructor(plans: readonly StatePlan[]) {
    this.#writer = new SnapshotWriter(plans);
  }

  /** Begins a tick. Views of the last tick's packets become invalid. */
  start(tick: number): void {
    if (tick === this.#tick) return;
    this.#tick = tick;
    this.kept = 0;
    this.epoch += 1;
  }

  /** Returns true if the packets kept since `from` are still available. */
  holds(from: number): boolean {
    return this.kept - from <= VARIANTS;
  }

  /**
   * Returns the packet as a view. It is valid until the next tick, or until {@link VARIANTS} other packets
   * were written.
   */
  write(content: SnapshotContent): Uint8Array {
    this.start(content.tick);
    // Removals make the packet specific to one receiver: it is not kept.
    if (content.removed.length > 0) {
      this.tag = 0;
      return this.#encode(content);
    }
    const held = Math.min(this.kept, VARIANTS);
    for (let index = 0; index < held; index++) {
      const variant = this.#variants[index]!;
      if (variant.checked !== content.checked || !isSame(variant.entries, content.entries)) continue;
      this.reused += 1;
      this.tag = variant.tag;
      return variant.body.of(variant.length);
    }
    return this.#keep(content, this.#encode(content));
  }

  #encode(content: SnapshotContent): Uint8Array {
    this.encoded += 1;
    return this.#writer.write(content);
  }

  #keep({ entries, checked }: SnapshotContent, body: Uint8Array): Uint8Array {
    const index = this.kept++ % VARIANTS;
    const variant = (this.#variants[index] ??= newVariant());
    if (variant.body.buffer.length < body.length) variant.body.replace(new Uint8Array(body.length * 2));
    variant.body.buffer.set(body);
    variant.length = body.length;
    variant.checked = checked;
    variant.tag = ++this.#lastTag;
    this.tag = variant.tag;
    copy(entries, variant.entries);
    return variant.body.of(body.length);
  }
}

function newVariant(): Variant {
  return {
    entries: new PacketEntries(),
    checked: -1,
    tag: 0,
    body: new Views(new Uint8Array(1200)),
    length: 0,
  };
}

/** Returns true if both have the same entities with the same baselines. */
function isSame({ count, entities, ticks0, ticks1, ticks2 }: PacketEntries, other: PacketEntries): boolean {
  if (count !== other.count) return false;
  for (let index = 0; index < count; index++) {
    const isSameEntry =
      entities[index] === other.entities[index] &&
      other.hasBaselines(index, ticks0[index]!, ticks1[index]!, ticks2[index]!);
    if (!isSameEntry) return false;
  }
  return true;
}

/** Copies the parts that {@link isSame} compares. */
function copy({ count, entities, ticks0, ticks1, ticks2 }: PacketEntries, into: PacketEntries): void {
  while (into.kinds.length < count) into.grow();
  into.count = count;
  for (let index = 0; index < count; index++) {
    if (into.entities[index] !== entities[index]) into.entities[index] = entities[index]!;
    into.ticks0[index] = ticks0[index]!;
    into.ticks1[index] = ticks1[index]!;
    into.ticks2[index] = ticks2[index]!;
  }
}
