import type { EntityDefinition } from "@paceline/protocol";

/**
 * Knows which of the room's entities this participant simulates itself. The authority sends their states to
 * this participant too, which skips them. It answers requests in order.
 */
export class OwnIds {
  /** The kinds of the unanswered requests, oldest first. */
  readonly #requested: EntityDefinition[] = [];
  /** Local ids, by the room's ids. */
  readonly #granted = new Map<number, number>();
  /** Ids that were skipped while their owner was unclear. */
  readonly #skipped = new Set<number>();

  request(definition: EntityDefinition): void {
    this.#requested.push(definition);
  }

  /** Returns the ids that were skipped by mistake, and whose states are needed. */
  granted(localId: number, id: number): number[] {
    this.disown(localId);
    this.#granted.set(id, localId);
    return this.#answered();
  }

  refused(): number[] {
    return this.#answered();
  }

  disown(localId: number): void {
    for (const [id, of] of this.#granted) if (of === localId) this.#granted.delete(id);
  }

  /** Returns true if this participant simulates the entity, or may do so. Its states are then skipped. */
  has(id: number, definition: EntityDefinition): boolean {
    if (this.#granted.has(id)) return true;
    if (!this.#requested.includes(definition)) return false;
    this.#skipped.add(id);
    return true;
  }

  #answered(): number[] {
    this.#requested.shift();
    if (this.#requested.length > 0) return [];
    const skipped = [...this.#skipped].filter((id) => !this.#granted.has(id));
    this.#skipped.clear();
    return skipped;
  }
}
