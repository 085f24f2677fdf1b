/** Keeps the items of the highest priorities, up to a limit. Items are whole numbers. */
export class PriorityHeap {
  size = 0;
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

  /** Adds an item; if the heap is full, it replaces the least of all unless it is that itself. */
  push(item: number, priority: number): void {
    if (this.size < this.#limit) this.#rise(this.size++, item, priority);
    else if (this.size > 0 && priority > this.#priorities[0]!) this.#sink(item, priority);
  }

  /** Removes the item of the least priority, and returns it. Undefined if the heap is empty. */
  pop(): number | undefined {
    if (this.size === 0) return undefined;
    const least = this.#items[0]!;
    const last = --this.size;
    if (last > 0) this.#sink(this.#items[last]!, this.#priorities[last]!);
    return least;
  }

  #rise(from: number, item: number, priority: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#priorities[parent]! <= priority) break;
      this.#set(at, this.#items[parent]!, this.#priorities[parent]!);
      at = parent;
    }
    this.#set(at, item, priority);
  }

  /** Puts an item in the place of the root. */
  #sink(item: number, priority: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.#priorities[child + 1]! < this.#priorities[child]!) child += 1;
      if (this.#priorities[child]! >= priority) break;
      this.#set(at, this.#items[child]!, this.#priorities[child]!);
      at = child;
    }
    this.#set(at, item, priority);
  }

  #set(at: number, item: number, priority: number): void {
    this.#items[at] = item;
    this.#priorities[at] = priority;
  }
}
