import type { EntityRows, Texts } from "./entity-rows.js";

export const NO_TICK = -1;

/** What a packet tells of its entities, in the order of their ids: kept as arrays, reused from packet to packet. */
export class PacketEntries {
  count = 0;
  readonly entities: EntityRows[] = [];
  /** Index of the kind of entity. */
  kinds = new Uint16Array(64);
  /** Where the state begins: in the entity's rows for an encoder, in the staged rows for a decoder. */
  places = new Int32Array(64);
  /** Ticks of up to three baselines, newest first, NO_TICK where there is none. */
  ticks0 = new Float64Array(64);
  ticks1 = new Float64Array(64);
  ticks2 = new Float64Array(64);
  readonly texts: (Texts | undefined)[] = [];

  clear(): void {
    this.count = 0;
  }

  /** Adds an entity without baselines and returns its index. */
  add(entity: EntityRows, kind: number, place: number): number {
    const index = this.count++;
    if (index >= this.kinds.length) this.#grow();
    this.entities[index] = entity;
    this.texts[index] = undefined;
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

  setBaselines(index: number, tick0: number, tick1: number, tick2: number): void {
    this.ticks0[index] = tick0;
    this.ticks1[index] = tick1;
    this.ticks2[index] = tick2;
  }

  #grow(): void {
    const size = this.kinds.length * 2;
    this.kinds = grown(this.kinds, new Uint16Array(size));
    this.places = grown(this.places, new Int32Array(size));
    this.ticks0 = grown(this.ticks0, new Float64Array(size));
    this.ticks1 = grown(this.ticks1, new Float64Array(size));
    this.ticks2 = grown(this.ticks2, new Float64Array(size));
  }
}

function grown<A extends Uint16Array | Int32Array | Float64Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
