import { sequenceDistance, type DropReason, type Subject } from "@paceline/protocol";

interface Newest {
  sequence: number;
  atMs: number;
  readonly isOwners: boolean;
}

/** Entities remembered for one receiver. Beyond it the entity with the oldest update is forgotten. */
const MAX_ENTITIES = 4096;
/** Older updates are not compared: sequence numbers wrap, and entities change hands. */
const REMEMBERED_MS = 2000;

/**
 * Remembers the updates of entities that one receiver got. Refuses repeated updates and those overtaken by a
 * newer one, which other links or peers may bring. It reads entity and sequence from the envelope, not the
 * game's state. It compares an owner's updates only with the owner's, so that nobody silences the owner with
 * a forged number.
 */
export class UpdateFilter {
  #newest: Map<number, Newest> | undefined;

  get size(): number {
    return this.#newest?.size ?? 0;
  }

  /** Returns the reason to drop the update. Otherwise remembers it and returns undefined. */
  refuses({ entity, sequence }: Subject, sender: number, nowMs: number): DropReason | undefined {
    const isOwners = entity >>> 16 === sender;
    const all = (this.#newest ??= new Map());
    const newest = all.get(entity);
    const isJudged = newest && nowMs - newest.atMs <= REMEMBERED_MS && (newest.isOwners || !isOwners);
    const ahead = isJudged ? sequenceDistance(sequence, newest.sequence) : 1;
    if (ahead <= 0) return ahead === 0 ? "duplicate" : "outdated";
    // Keeps the map in the order of updates, so that the first entry is the oldest.
    all.delete(entity);
    all.set(entity, { sequence, atMs: nowMs, isOwners });
    if (all.size > MAX_ENTITIES) {
      const [oldest] = all.keys();
      all.delete(oldest);
    }
    return undefined;
  }
}
