import type { EntityRows } from "../columns/entity-rows.js";
import { NO_TICK, type PacketEntries } from "./packet-entries.js";
import { OWNER_BITS, OWNER_COLUMN, TELEPORT_BITS, TELEPORT_COLUMN } from "../columns/state-plan.js";
import { type BitCoder, codeSmall } from "./bit-coder.js";

const ID_BITS = 16;
/** Added to the id of an entity that goes on elsewhere, and only leaves the receiver's view. */
export const OUT_OF_VIEW = 0x10000;
/** Bits of the logarithm of an age. */
const EXPONENT_BITS = 4;
/** Largest age of a baseline in a short packet, ticks. */
const OLDEST_LONE = 0xffff;

/** Ticks of three baselines. A packet's head has those that most of its entities share. */
export interface SharedBaselines {
  tick0: number;
  tick1: number;
  tick2: number;
}

/** Codes the parts of a packet's head. Each method serves both directions. */
export class PacketHead {
  readonly #coder: BitCoder;

  constructor(coder: BitCoder) {
    this.#coder = coder;
  }

  /** Codes the number of entities of a packet that may have none. */
  count(count: number): number {
    return codeSmall(this.#coder, count);
  }

  /** Codes the number of entities of a plain or a short packet, which has at least one. */
  countFromOne(count: number): number {
    return codeSmall(this.#coder, count - 1) + 1;
  }

  /** Codes baselines relative to the packet's tick. A missing baseline is NO_TICK. */
  baselines(tick: number, shared: SharedBaselines): void {
    const coder = this.#coder;
    if (!coder.flag(shared.tick0 !== NO_TICK)) {
      shared.tick0 = shared.tick1 = shared.tick2 = NO_TICK;
      return;
    }
    const age = this.#age(tick, shared.tick0);
    const gapsAreOne = coder.flag(areConsecutive(shared));
    const gap1 = gapsAreOne ? 1 : codeSmall(coder, gapOf(shared.tick0, shared.tick1));
    const gap2 = gapsAreOne ? 1 : gap1 === 0 ? 0 : codeSmall(coder, gapOf(shared.tick1, shared.tick2));
    shared.tick0 = before(tick, age);
    shared.tick1 = gap1 === 0 ? NO_TICK : before(shared.tick0, gap1);
    shared.tick2 = gap2 === 0 ? NO_TICK : before(shared.tick1, gap2);
  }

  /** Codes the baselines of three consecutive ticks. */
  consecutive(tick: number, shared: SharedBaselines): void {
    shared.tick0 = before(tick, this.#age(tick, shared.tick0));
    shared.tick1 = before(shared.tick0, 1);
    shared.tick2 = before(shared.tick0, 2);
  }

  /** Codes an id and the tick of the only baseline of an entity. Returns the id. */
  lone(id: number, last: number, tick: number, baseline: SharedBaselines): number {
    const coder = this.#coder;
    const gap = id - last - 1;
    const most = codeSmall(coder, gap >> 2) * 4;
    const coded = last + 1 + most + coder.bits(gap & 3, 2);
    // Ages from one tick to a minute are about equally likely by their logarithm.
    const age = (tick - baseline.tick0) | 0;
    const exponent = coder.bits(31 - Math.clz32(age), EXPONENT_BITS);
    const least = 1 << exponent;
    baseline.tick0 = before(tick, least + coder.bits(age - least, exponent));
    baseline.tick1 = baseline.tick2 = NO_TICK;
    return coded;
  }

  #age(tick: number, tick0: number): number {
    return codeSmall(this.#coder, ((tick - tick0) | 0) - 1) + 1;
  }

  /** Codes an id. Ids ascend, often without a gap. */
  id(id: number, last: number): number {
    if (this.#coder.flag(id === last + 1)) return last + 1;
    return last + 2 + codeSmall(this.#coder, id - last - 2);
  }

  /**
   * Codes whether ids are consecutive and all entities plain. Then the head has no ids and no flags per
   * entity.
   */
  isUniform(value: boolean): boolean {
    return this.#coder.flag(value);
  }

  firstId(id: number): number {
    return codeSmall(this.#coder, id);
  }

  /**
   * Codes whether an entity has the packet's baselines, and the owner and teleports of its newest baseline.
   */
  isPlain(value: boolean): boolean {
    return this.#coder.flag(value);
  }

  flag(value: boolean): boolean {
    return this.#coder.flag(value);
  }

  /** Codes owner and teleports without prediction. Most entities have neither. */
  ownership(row: Int32Array, at: number): void {
    if (!this.#coder.flag(row[at + OWNER_COLUMN] !== 0 || row[at + TELEPORT_COLUMN] !== 0)) {
      row[at + OWNER_COLUMN] = row[at + TELEPORT_COLUMN] = 0;
      return;
    }
    row[at + OWNER_COLUMN] = this.#coder.bits(row[at + OWNER_COLUMN]!, OWNER_BITS);
    row[at + TELEPORT_COLUMN] = this.#coder.bits(row[at + TELEPORT_COLUMN]!, TELEPORT_BITS);
  }

  kind(kind: number): number {
    return codeSmall(this.#coder, kind);
  }

  /** Codes a removal: an id, with {@link OUT_OF_VIEW} if the entity only left the view. */
  removal(removal: number): number {
    const id = this.#coder.bits(removal & (OUT_OF_VIEW - 1), ID_BITS);
    return this.#coder.flag(removal >= OUT_OF_VIEW) ? id + OUT_OF_VIEW : id;
  }

  checksum(checksum: number): number {
    return this.#coder.bits(checksum, 16);
  }
}

/**
 * Finds the baselines that most entries share (Boyer and Moore's majority vote). Any choice is correct; this
 * one saves most bytes.
 */
export function mostlyShared(entries: PacketEntries, into: SharedBaselines): void {
  let votes = 0;
  into.tick0 = into.tick1 = into.tick2 = NO_TICK;
  for (let index = 0; index < entries.count; index++) {
    const tick0 = entries.ticks0[index]!;
    if (tick0 === NO_TICK) continue;
    if (votes === 0) {
      into.tick0 = tick0;
      into.tick1 = entries.ticks1[index]!;
      into.tick2 = entries.ticks2[index]!;
    }
    votes += entries.hasBaselines(index, into.tick0, into.tick1, into.tick2) ? 1 : -1;
  }
}

/** Returns true if owner and teleports equal those of the baseline. */
export function isSameOwnership({ rows }: EntityRows, before: number, at: number): boolean {
  return (
    rows[before + OWNER_COLUMN] === rows[at + OWNER_COLUMN] &&
    rows[before + TELEPORT_COLUMN] === rows[at + TELEPORT_COLUMN]
  );
}

export function areConsecutive({ tick0, tick1, tick2 }: SharedBaselines): boolean {
  return tick0 !== NO_TICK && tick1 === before(tick0, 1) && tick2 === before(tick0, 2);
}

/** Returns true if a short packet can hold the age of an only baseline. */
export function isYoung(tick: number, tick0: number): boolean {
  return ((tick - tick0) | 0) <= OLDEST_LONE;
}

function before(tick: number, ticks: number): number {
  return (tick - ticks) >>> 0;
}

function gapOf(newer: number, older: number): number {
  return older === NO_TICK ? 0 : (newer - older) | 0;
}
