import type { EntityRows, Texts } from "../columns/entity-rows.js";

export const NO_TICK = -1;
/** Limit of entities in a packet. Readers allocate no more. */
export const MAX_ENTITIES = 4096;

/** The entities of a packet in ascending order of id, as arrays that all packets reuse. */
export class PacketEntries {
  count = 0;
  readonly entities: EntityRows[] = [];
  /** Index of the kind of entity. */
  kinds = new Uint16Array(64);
  /** Offsets of the states: in the entity's rows for an encoder, in the staged rows for a decoder. */
  places = new Int32Array(64);
  /** Ticks of up to three baselines, newest first; NO_TICK if missing. */
  ticks0 = new Float64Array(64);
  ticks1 = new Float64Array(64);
  ticks2 = new Float64Array(64);
  /** Offsets of these baselines in the entity's rows; -1 if missing. */
  at0 = new Int32Array(64);
  at1 = new Int32Array(64);
  at2 = new Int32Array(64);
  readonly texts: (Texts | undefined)[] = [];

  clear(): void {
    this.count = 0;
  }

  /** Adds an entity without baselines and returns its index. */
  add(entity: EntityRows, kind: number, place: number): number {
    const index = this.count++;
    if (index >= this.kinds.length) this.grow();
    if (this.entities[index] !== entity) this.entities[index] = entity;
    if (this.texts[index] !== undefined) this.texts[index] = undefined;
    this.kinds[index] = kind;
    this.places[index] = place;
    this.ticks0[index] = NO_TICK;
    this.ticks1[index] = NO_TICK;
    this.ticks2[index] = NO_TICK;
    return index;
  }

  hasBaselines(index: number, tick0: number, tick1: number, tick2: number): boolean {
    return this.ticks0[index] === tick0 && this.ticks1[index] === tick1 && this.ticks2[index] === tick2;
  }

  /** Returns true if the entity has exactly one baseline. */
  isLone(index: number): boolean {
    return this.ticks0[index] !== NO_TICK && this.ticks1[index] === NO_TICK;
  }

  setBaselines(index: number, tick0: number, tick1: number, tick2: number): void {
    this.ticks0[index] = tick0;
    this.ticks1[index] = tick1;
    this.ticks2[index] = tick2;
  }

  /**
   * Finds the offsets of an entry's baselines. Returns false if the entity does not hold one of them (any
   * more).
   */
  locate(index: number): boolean {
    const entity = this.entities[index]!;
    const tick0 = this.ticks0[index]!;
    const tick1 = this.ticks1[index]!;
    const tick2 = this.ticks2[index]!;
    const at0 = tick0 === NO_TICK ? -1 : entity.find(tick0);
    const at1 = tick1 === NO_TICK ? -1 : entity.find(tick1);
    const at2 = tick2 === NO_TICK ? -1 : entity.find(tick2);
    this.at0[index] = at0;
    this.at1[index] = at1;
    this.at2[index] = at2;
    return (
      (at0 >= 0 || tick0 === NO_TICK) && (at1 >= 0 || tick1 === NO_TICK) && (at2 >= 0 || tick2 === NO_TICK)
    );
  }

  grow(): void {
    const size = this.kinds.length * 2;
    this.kinds = grown(this.kinds, new Uint16Array(size));
    this.places = grown(this.places, new Int32Array(size));
    this.ticks0 = grown(this.ticks0, new Float64Array(size));
    this.ticks1 = grown(this.ticks1, new Float64Array(size));
    this.ticks2 = grown(this.ticks2, new Float64Array(size));
    this.at0 = grown(this.at0, new Int32Array(size));
    this.at1 = grown(this.at1, new Int32Array(size));
    this.at2 = grown(this.at2, new Int32Array(size));
  }
}

function grown<A extends Uint16Array | Int32Array | Float64Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}

/**
 * Returns 16 bits over a state's columns: FNV-1a over 32-bit words, folded. Both sides must get the same
 * value for one tick.
 */
export function stateChecksum(rows: Int32Array, at: number, width: number): number {
  let hash = 0x811c9dc5;
  for (let index = at; index < at + width; index++) {
    hash = Math.imul(hash ^ rows[index]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return ((hash >>> 16) ^ hash) & 0xffff;
}
