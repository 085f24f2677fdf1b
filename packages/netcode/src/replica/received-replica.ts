import { Replica } from "./replica.js";

/**
 * An entity that another participant simulates. Its row is the newest state taken. States may arrive late,
 * twice, or in any order.
 */
export class ReceivedReplica<Entity extends object = object> extends Replica<Entity> {
  /** Owner in the newest state: a participant's number, or 0 for the source itself. */
  owner = 0;
  /** Tick of the newest state. A source's ticks may be unwrapped or taken modulo 2^32. */
  tick = -Infinity;

  /** Returns true if a state of that tick is newer than the current one. */
  isNewer(tick: number): boolean {
    const since = tick - this.tick;
    return since === Infinity || (since | 0) > 0;
  }
}
