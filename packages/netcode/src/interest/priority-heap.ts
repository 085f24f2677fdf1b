/** Keeps the items of the highest priorities, up to a limit. Items are whole numbers. */
export class PriorityHeap {
  size = 0;
  /** The priority of the item that is pushed next: as an argument, such a number would become an object. */
  readonly next = new Float64Array(1);
  #limit = 0;
  #items = new Int32Array(16);
  /** The least priority is at the root. */
  #priorities = new Float64Array(16);

  /** Empties the heap. @param limit number of items that it keeps */
  clear(limit: number): void {
    this.size = 0;
    this.#limit = limit;
    if (limit <= this.#items.length) return;
    this.#items = new Int32Array(limit);
    this.#priorities = new Float64Array(limit);
  }

  /** Adds an item of the priority {@link next}. If the heap is full, the least of all gives way. */
  push(item: number): void {
    const priority = this.next[0]!;
    const isFull = this.size === this.#limit;
    if (isFull && !(this.size > 0 && priority > this.#priorities[0]!)) return;
    const at = isFull ? 0 : this.size++;
    this.#items[at] = item;
    this.#priorities[at] = priority;
    if (isFull) this.#sink();
    else this.#rise(at);
  }

  /** Removes the item of the least priority, and returns it; -1 if the heap is empty. */
  pop(): number {
    if (this.size === 0) return -1;
    const least = this.#items[0]!;
    this.size -= 1;
    this.#items[0] = this.#items[this.size]!;
    this.#priorities[0] = this.#priorities[this.size]!;
    this.#sink();
    return least;
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (this.#priorities[parent]! <= this.#priorities[at]!) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Lets the root sink to its place. */
  #sink(): void {
    for (let at = 0; ;) {
      let child = 2 * at + 1;
      if (child >= this.size) return;
      if (child + 1 < this.size && this.#priorities[child + 1]! < this.#priorities[child]!) child += 1;
      if (this.#priorities[at]! <= this.#priorities[child]!) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #swap(one: number, other: number): void {
    const item = this.#items[one]!;
    const priority = this.#priorities[one]!;
    this.#items[one] = this.#items[other]!;
    this.#priorities[one] = this.#priorities[other]!;
    this.#items[other] = item;
    this.#priorities[other] = priority;
  }
}
