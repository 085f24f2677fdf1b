import { NO_TICK } from "../codec/packet-entries.js";

/** Length of a window, ticks. */
export const WINDOW_TICKS = 64;

/** A set of ticks that looks back from its end: a bit for each tick, at the tick's remainder by 64. */
export class TickWindow {
  low = 0;
  high = 0;
  /** The newest tick of the set. */
  newest = NO_TICK;
  /** The newest tick of the set that has left the window; NO_TICK if none has. */
  passed = NO_TICK;
  #end = NO_TICK;

  /** Moves the end of the window to a newer tick. Ticks that are too old for it leave the set. */
  advance(tick: number): void {
    const steps = this.#end === NO_TICK ? 1 : (tick - this.#end) | 0;
    if (steps <= 0) return;
    const leaving = this.isEmpty ? 0 : Math.min(steps, WINDOW_TICKS);
    for (let step = 1; step <= leaving; step++) {
      // The place of the new tick is still that of the old one.
      const old = (this.#end + step - WINDOW_TICKS) >>> 0;
      if (!hasTick(this.low, this.high, old)) continue;
      this.passed = old;
      this.#flip(old);
    }
    this.#end = tick;
  }

  /** Adds a tick. One that is too old for the window is ignored. */
  add(tick: number): void {
    this.advance(tick);
    if (((this.#end - tick) | 0) >= WINDOW_TICKS || hasTick(this.low, this.high, tick)) return;
    this.#flip(tick);
    if (this.newest === NO_TICK || ((tick - this.newest) | 0) > 0) this.newest = tick;
  }

  get isEmpty(): boolean {
    return (this.low | this.high) === 0;
  }

  clear(): void {
    this.low = this.high = 0;
    this.newest = this.passed = NO_TICK;
  }

  #flip(tick: number): void {
    const bit = 1 << (tick & 31);
    if (tick & 32) this.high ^= bit;
    else this.low ^= bit;
  }
}

/** Returns true if the words of a {@link TickWindow} have this tick of the window. */
export function hasTick(low: number, high: number, tick: number): boolean {
  return (((tick & 32 ? high : low) >>> (tick & 31)) & 1) === 1;
}
