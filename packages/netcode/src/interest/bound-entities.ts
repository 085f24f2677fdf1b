import { ConfigError } from "@paceline/protocol";
import type { CellIndex } from "./cell-index.js";

const MAX_BOUND = 64;

/** The entities to which a viewer is bound: they concern it wherever they are. */
export class BoundEntities {
  count = 0;
  readonly ids = new Uint16Array(MAX_BOUND);
  readonly #serials = new Uint32Array(MAX_BOUND);
  readonly #index: CellIndex;

  constructor(index: CellIndex) {
    this.#index = index;
  }

  add(id: number): void {
    const slot = this.#index.slotOf(id);
    if (slot < 0) throw new ConfigError("entity", id, "the id of an entity that is placed");
    this.dropRemoved();
    if (this.has(id)) return;
    if (this.count === MAX_BOUND)
      throw new ConfigError("entity", id, `at most ${MAX_BOUND} entities to which a viewer is bound`);
    this.ids[this.count] = id;
    this.#serials[this.count++] = this.#index.serialAt(slot);
  }

  has(id: number): boolean {
    for (let each = 0; each < this.count; each++) if (this.ids[each] === id) return true;
    return false;
  }

  delete(id: number): void {
    for (let each = 0; each < this.count; each++) if (this.ids[each] === id) this.#deleteAt(each);
  }

  /** Drops entities that were removed, so that a later one of the same id is not taken for them. */
  dropRemoved(): void {
    for (let each = this.count - 1; each >= 0; each--)
      if (this.#index.slotOfSerial(this.ids[each]!, this.#serials[each]!) < 0) this.#deleteAt(each);
  }

  #deleteAt(at: number): void {
    const last = --this.count;
    this.ids[at] = this.ids[last]!;
    this.#serials[at] = this.#serials[last]!;
  }
}
