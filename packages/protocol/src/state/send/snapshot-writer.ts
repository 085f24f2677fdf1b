import { stateChecksum, type PacketEntries, NO_TICK } from "../codec/packet-entries.js";
import {
  PacketHead,
  areConsecutive,
  isSameOwnership,
  isYoung,
  mostlyShared,
  type SharedBaselines,
} from "../codec/packet-head.js";
import { StateCodec } from "../codec/state-codec.js";
import type { StatePlan } from "../columns/state-plan.js";

/** Buffer size for a packet that turns out too large, before it is split. */
const CAPACITY_BYTES = 0x40000;

export interface SnapshotContent {
  tick: number;
  /** Entries in ascending order of id, each once. Their states are in the entities' rows. */
  readonly entries: PacketEntries;
  /** Ids of removed entities, with {@link OUT_OF_VIEW} for those that only left the view. */
  removed: readonly number[];
  /** Index of the entry whose checksum is sent; -1 for none. */
  checked: number;
}

/** Writes states as packets. */
export class SnapshotWriter {
  readonly #codec: StateCodec;
  readonly #head: PacketHead;
  readonly #shared: SharedBaselines = { tick0: NO_TICK, tick1: NO_TICK, tick2: NO_TICK };
  readonly #own: SharedBaselines = { tick0: NO_TICK, tick1: NO_TICK, tick2: NO_TICK };

  constructor(plans: readonly StatePlan[], capacityBytes = CAPACITY_BYTES) {
    this.#codec = new StateCodec(plans, capacityBytes);
    this.#head = new PacketHead(this.#codec.coder);
  }

  /**
   * Writes one packet of all entries, even if it is too large. Returns a view that is valid until the next
   * write.
   */
  write(content: SnapshotContent): Uint8Array {
    const { tick, entries, removed, checked } = content;
    const head = this.#head;
    for (let index = 0; index < entries.count; index++) entries.locate(index);
    this.#codec.coder.startEncoding();
    mostlyShared(entries, this.#shared);
    const isBare = removed.length === 0 && checked < 0;
    if (head.flag(isBare && areConsecutive(this.#shared) && this.#isUniform(entries))) {
      head.countFromOne(entries.count);
      head.consecutive(tick, this.#shared);
      head.firstId(entries.entities[0]!.id);
    } else if (head.flag(isBare && this.#isShort(tick, entries))) this.#writeShortHead(tick, entries);
    else this.#writeFullHead(content);
    this.#codec.encode(entries, tick);
    return this.#codec.coder.finish();
  }

  #writeShortHead(tick: number, entries: PacketEntries): void {
    const own = this.#own;
    let last = -1;
    this.#head.countFromOne(entries.count);
    for (let index = 0; index < entries.count; index++) {
      own.tick0 = entries.ticks0[index]!;
      last = this.#head.lone(entries.entities[index]!.id, last, tick, own);
    }
  }

  #writeFullHead({ tick, entries, removed, checked }: SnapshotContent): void {
    const head = this.#head;
    head.count(entries.count);
    head.baselines(tick, this.#shared);
    if (head.flag(removed.length > 0)) {
      head.kind(removed.length);
      for (const removal of removed) head.removal(removal);
    }
    if (head.flag(checked >= 0)) {
      const entity = entries.entities[checked]!;
      head.kind(checked);
      head.checksum(stateChecksum(entity.rows, entries.places[checked]!, entity.plan.width));
    }
    this.#writeEntityHeads(tick, entries);
  }

  #writeEntityHeads(tick: number, entries: PacketEntries): void {
    const head = this.#head;
    const { tick0, tick1, tick2 } = this.#shared;
    if (tick0 !== NO_TICK && head.isUniform(this.#isUniform(entries))) {
      head.firstId(entries.entities[0]!.id);
      return;
    }
    let last = -1;
    let kind = 0;
    for (let index = 0; index < entries.count; index++) {
      const entity = entries.entities[index]!;
      const place = entries.places[index]!;
      last = head.id(entity.id, last);
      const own0 = entries.ticks0[index]!;
      const isWhole = own0 === NO_TICK;
      const isShared = entries.hasBaselines(index, tick0, tick1, tick2);
      const isSame = isWhole || isSameOwnership(entity, entries.at0[index]!, place);
      if (tick0 !== NO_TICK && head.isPlain(!isWhole && isShared && isSame)) continue;
      if (tick0 === NO_TICK || head.flag(isWhole)) {
        if (!head.flag(entries.kinds[index] === kind)) head.kind(entries.kinds[index]!);
        kind = entries.kinds[index]!;
        head.ownership(entity.rows, place);
        continue;
      }
      if (!head.flag(isShared)) {
        this.#own.tick0 = own0;
        this.#own.tick1 = entries.ticks1[index]!;
        this.#own.tick2 = entries.ticks2[index]!;
        head.baselines(tick, this.#own);
      }
      if (!head.flag(isSame)) head.ownership(entity.rows, place);
    }
  }

  /**
   * Returns true if all entities have one baseline each, and no more than half of them the same one: then
   * each says its own.
   */
  #isShort(tick: number, entries: PacketEntries): boolean {
    const { count } = entries;
    const { tick0, tick1, tick2 } = this.#shared;
    let shared = 0;
    for (let index = 0; index < count; index++) {
      const isSame =
        entries.isLone(index) &&
        isYoung(tick, entries.ticks0[index]!) &&
        isSameOwnership(entries.entities[index]!, entries.at0[index]!, entries.places[index]!);
      if (!isSame) return false;
      if (entries.hasBaselines(index, tick0, tick1, tick2)) shared += 1;
    }
    return count === 1 || (count > 1 && 2 * shared <= count);
  }

  #isUniform(entries: PacketEntries): boolean {
    const { tick0, tick1, tick2 } = this.#shared;
    const first = entries.entities[0]!.id;
    for (let index = 0; index < entries.count; index++) {
      const entity = entries.entities[index]!;
      const isPlain =
        entity.id === first + index &&
        entries.hasBaselines(index, tick0, tick1, tick2) &&
        isSameOwnership(entity, entries.at0[index]!, entries.places[index]!);
      if (!isPlain) return false;
    }
    return true;
  }
}
