import type { EntityDefinition } from "@paceline/protocol";

/** An unanswered request for an entity of this participant. */
interface RequestedId {
  readonly localId: number;
  readonly definition: EntityDefinition;
}

/**
 * Knows which of the room's entities this participant simulates itself. The authority sends their states to
 * this participant too, which skips them. It answers requests in order.
 */
export class OwnIds {
  readonly #requested: RequestedId[] = [];
  /** Local ids, by the room's ids. */
  readonly #granted = new Map<number, number>();
  /** Ids that were skipped while their owner was unclear. */
  readonly #skipped = new Set<number>();

  request(localId: number, definition: EntityDefinition): void {
    this.#requested.push({ localId, definition });
  }

  /** Returns the ids that were skipped by mistake, and whose states are needed. */
  granted(localId: number, id: number): number[] {
    for (const [before, of] of this.#granted) if (of === localId) this.#granted.delete(before);
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
    if (!this.#requested.some((request) => request.definition === definition)) return false;
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
