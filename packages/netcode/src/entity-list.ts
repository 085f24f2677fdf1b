/**
 * The entities of a kind, as a room returns them: a list that can be kept, because each use shows the entities
 * that are there then. For other methods of arrays, write `[...list]`.
 */
export class EntityList<Item> implements Iterable<Item> {
  readonly #iterate: () => Iterator<Item>;

  constructor(iterate: () => Iterator<Item>) {
    this.#iterate = iterate;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#iterate();
  }

  get length(): number {
    return [...this].length;
  }

  map<Result>(fn: (entity: Item, index: number) => Result): Result[] {
    return Array.from(this, fn);
  }

  filter(fn: (entity: Item, index: number) => unknown): Item[] {
    return [...this].filter(fn);
  }

  find(fn: (entity: Item, index: number) => unknown): Item | undefined {
    return [...this].find(fn);
  }

  some(fn: (entity: Item, index: number) => unknown): boolean {
    return [...this].some(fn);
  }
}
