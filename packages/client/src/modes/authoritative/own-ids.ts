import type { EntityDefinition } from "@paceline/protocol";

/** An entity that this participant wants to own, and has had no answer about. */
interface Asked {
  readonly localId: number;
  readonly definition: EntityDefinition;
}

/**
 * Which of the room's entities are those that this participant simulates: an authority tells all the same, so that one
 * is told of its own too. Requests are answered in their order.
 */
export class OwnIds {
  readonly #asked: Asked[] = [];
  /** Local ids by what the room calls them. */
  readonly #granted = new Map<number, number>();
  /** Passed over while it was not known whose they are. */
  readonly #doubtful = new Set<number>();

  ask(localId: number, definition: EntityDefinition): void {
    this.#asked.push({ localId, definition });
  }

  /** Returns ids of what was passed over and is the room's after all: their states are wanted. */
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

  /** Whether a state that belongs to this participant is one that it simulates itself, or may be. */
  has(id: number, definition: EntityDefinition): boolean {
    if (this.#granted.has(id)) return true;
    if (!this.#asked.some((asked) => asked.definition === definition)) return false;
    this.#doubtful.add(id);
    return true;
  }

  #answered(): number[] {
    this.#asked.shift();
    if (this.#asked.length > 0) return [];
    const doubtful = [...this.#doubtful].filter((id) => !this.#granted.has(id));
    this.#doubtful.clear();
    return doubtful;
  }
}
