import type { Receiver } from "./receiver.js";
import { ARRIVAL_TICKS, TickWindow } from "./tick-window.js";

/**
 * The receivers of a group that have got all due states, in order, since they got all entities: what they hold is kept
 * once for all. A receiver holds the states of the group's ticks after its base, and those of its base.
 */
export class InStep<R extends Receiver> {
  /** In the order of their bases. A list that is in use does not change: see {@link remove}. */
  receivers: R[] = [];
  /** The base of each receiver. */
  readonly bases: number[] = [];
  /** Ticks with due states. */
  readonly ticks = new TickWindow(ARRIVAL_TICKS);
  /** The receivers that the states of the present tick do not reach. */
  readonly missing = new Set<R>();

  add(receiver: R): void {
    const { bases } = this;
    const { base } = receiver;
    let at = bases.length;
    while (at > 0 && ((bases[at - 1]! - base) | 0) > 0) at -= 1;
    bases.splice(at, 0, base);
    this.receivers.splice(at, 0, receiver);
  }

  remove(receiver: R): void {
    const at = this.receivers.indexOf(receiver);
    this.bases.splice(at, 1);
    // Somebody may go through the list.
    this.receivers = this.receivers.filter((each) => each !== receiver);
    this.missing.delete(receiver);
  }

  /** Returns the receivers that the states do not reach, once. */
  takeMissing(): readonly R[] {
    if (this.missing.size === 0) return [];
    const missing = [...this.missing];
    this.missing.clear();
    return missing;
  }

  /** Returns true if `arrived` has all ticks with states after `base`. */
  isSameAfter(base: number, arrived: TickWindow | undefined, tick: number): boolean {
    this.ticks.advance(tick);
    arrived?.advance(tick);
    return this.ticks.isSameAfter(base, arrived?.words);
  }
}
