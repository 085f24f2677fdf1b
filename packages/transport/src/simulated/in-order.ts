/** Releases numbered items in the order of their numbers (0, 1, 2, ...). An item waits for all before it. */
export class InOrder<T> {
  readonly #release: (item: T) => void;
  readonly #early = new Map<number, T>();
  #nextNumber = 0;

  constructor(release: (item: T) => void) {
    this.#release = release;
  }

  /** Takes the item with this number. Every number comes once. */
  put(number: number, item: T): void {
    this.#early.set(number, item);
    for (let next = this.#early.get(this.#nextNumber); next !== undefined;) {
      this.#early.delete(this.#nextNumber);
      this.#nextNumber += 1;
      this.#release(next);
      next = this.#early.get(this.#nextNumber);
    }
  }
}
