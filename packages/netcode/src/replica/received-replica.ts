import { restore, type EntityRows } from "@paceline/protocol";
import { deriveVelocity, isVelocityDerived } from "./derived-velocity.js";
import { Replica } from "./replica.js";

/** An entity that somebody else simulates: its row is the newest state that was taken. States come late, twice, in any order. */
export class ReceivedReplica<Entity extends object = object> extends Replica<Entity> {
  /** Owner in the newest state: a participant's number; 0: the source itself. */
  owner = 0;
  /** Tick of the newest state; a source's ticks may be unwrapped or taken modulo 2^32. */
  tick = Number.NEGATIVE_INFINITY;

  /** Whether a state of that tick is newer than the one that is here. */
  isNews(tick: number): boolean {
    const since = tick - this.tick;
    return since === Infinity || (since | 0) > 0;
  }

  /**
   * The state that a reader has put into the entity's rows, as a row that is valid until the next call for one of the kind.
   * Fields that the stream does not carry keep what they have. `seconds` since the state before: a velocity that is declared as
   * derived is the way from there, 0 after 0 s (a jump); without it such a velocity is the caller's to fill in.
   */
  read({ plan, rows }: EntityRows, place: number, seconds?: number): Float32Array {
    const news = this.place.table.scratch;
    news.set(this.row);
    restore(plan, rows, place, news);
    if (seconds !== undefined && isVelocityDerived(this.definition))
      deriveVelocity(this.definition, this.row, news, seconds);
    return news;
  }

  /** Takes a state that {@link read} gave. */
  take(news: Float32Array, tick: number, owner = this.owner): void {
    this.row.set(news);
    this.tick = tick;
    this.owner = owner;
  }
}
