import { sequenceDistance, type DropReason, type Subject } from "@paceline/protocol";

interface Newest {
  sequence: number;
  atMs: number;
  readonly isOwners: boolean;
}

/** Entities that are remembered for one receiver; beyond it the one that was heard of longest ago is forgotten. */
const MAX_ENTITIES = 4096;
/** An update that is older says nothing any more: numbers go round, and entities change hands. */
const REMEMBERED_MS = 2000;

/**
 * Which updates of which entities one receiver was given: the same one again, from another link or another peer, and
 * those that a newer one has overtaken are not passed on. The relay needs no game state for it: entity and sequence stand
 * in the envelope. An owner's own updates are held against its own alone, so that nobody else can silence it by a forged
 * number from the future.
 */
export class UpdateFilter {
  readonly #newest = new Map<number, Newest>();

  get size(): number {
    return this.#newest.size;
  }

  /** Why the update must not be passed on; undefined where it may be, and it then counts as given. */
  refuses({ entity, sequence }: Subject, sender: number, nowMs: number): DropReason | undefined {
    const isOwners = entity >>> 16 === sender;
    const newest = this.#newest.get(entity);
    const isJudged = newest && nowMs - newest.atMs <= REMEMBERED_MS && (newest.isOwners || !isOwners);
    const ahead = isJudged ? sequenceDistance(sequence, newest.sequence) : 1;
    if (ahead <= 0) return ahead === 0 ? "duplicate" : "outdated";
    // In the order of the last update, so that the first is the one to forget.
    this.#newest.delete(entity);
    this.#newest.set(entity, { sequence, atMs: nowMs, isOwners });
    if (this.#newest.size > MAX_ENTITIES) this.#forgetOldest();
    return undefined;
  }

  #forgetOldest(): void {
    for (const entity of this.#newest.keys()) {
      this.#newest.delete(entity);
      return;
    }
  }
}
