import { restore, type EntityRows } from "@paceline/protocol";
import { deriveVelocity, isVelocityDerived } from "./derived-velocity.js";
import { Replica } from "./replica.js";

/**
 * An entity that another participant simulates. Its row is the newest state taken. States may arrive late,
 * twice, or in any order.
 */
export class ReceivedReplica<Entity extends object = object> extends Replica<Entity> {
  /** Owner in the newest state: a participant's number, or 0 for the source itself. */
  owner = 0;
  /** Tick of the newest state. A source's ticks may be unwrapped or taken modulo 2^32. */
  tick = Number.NEGATIVE_INFINITY;

  /** Returns true if a state of that tick is newer than the current one. */
  isNewer(tick: number): boolean {
    const since = tick - this.tick;
    return since === Infinity || (since | 0) > 0;
  }

  /**
   * Returns the state at `place` of the entity's rows as a row, valid until the next call for an entity of
   * this kind. Fields that the stream lacks keep their values. `seconds`: time since the state before, for a
   * velocity declared as derived; 0 (a jump) gives velocity 0. Without it, the caller must compute such a
   * velocity.
   */
  read({ plan, rows }: EntityRows, place: number, seconds?: number): Float32Array {
    const news = this.place.table.scratch;
    news.set(this.row);
    restore(plan, rows, place, news);
    if (seconds !== undefined && isVelocityDerived(this.definition))
      deriveVelocity(this.definition, this.row, news, seconds);
    return news;
  }

  /** Takes a state that {@link read} returned. */
  apply(news: Float32Array, tick: number, owner = this.owner): void {
    this.row.set(news);
    this.tick = tick;
    this.owner = owner;
  }
}
