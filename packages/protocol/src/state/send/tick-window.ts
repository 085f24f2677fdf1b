import { NO_TICK } from "../codec/packet-entries.js";

/** Length of a group's window, ticks: no history of a room or of a player keeps more. */
export const WINDOW_TICKS = 128;
/** A receiver knows twice as long what has arrived: a state that has left the group's window may still be the newest. */
export const ARRIVAL_TICKS = 2 * WINDOW_TICKS;

/** A set of ticks that looks back from its end: a bit for each tick, at the tick's remainder by the length. */
export class TickWindow {
  readonly words: Int32Array;
  /** The newest tick of the set. */
  newest = NO_TICK;
  /** The newest tick of the set that has left the window; NO_TICK if none has. */
  passed = NO_TICK;
  readonly #length: number;
  #end = NO_TICK;

  /** @param length ticks: a power of two, at least 32 */
  constructor(length: number) {
    this.#length = length;
    this.words = noTicks(length);
  }

  /** Moves the end of the window to a newer tick. Ticks that are too old for it leave the set. */
  advance(tick: number): void {
    const steps = this.#end === NO_TICK ? 0 : (tick - this.#end) | 0;
    if (steps < 0) return;
    const most = Math.min(steps, this.#length);
    for (let step = 1; step <= most; step++) {
      // The place of the new tick is still that of the old one.
      const old = (this.#end + step - this.#length) >>> 0;
      // Most windows that were idle are empty.
      if (this.words[wordOf(this.words, old)] === 0) step += 31 - (old & 31);
      if (!hasTick(this.words, old)) continue;
      this.passed = old;
      removeTick(this.words, old);
    }
    this.#end = tick;
  }

  /** Adds a tick. One that is too old for the window is ignored. */
  add(tick: number): void {
    this.advance(tick);
    if (((this.#end - tick) | 0) >= this.#length) return;
    addTick(this.words, tick);
    if (this.newest === NO_TICK || ((tick - this.newest) | 0) > 0) this.newest = tick;
  }

  /** Removes the ticks before this one. */
  forgetBefore(tick: number): void {
    removeUntil(this.words, (tick - 1) >>> 0, this.#end);
  }

  /** Takes the ticks of another window of the same length that are after this one. */
  copyAfter(tick: number, other: TickWindow): void {
    this.words.set(other.words);
    removeUntil(this.words, tick, other.#end);
    this.#end = other.#end;
    this.newest = ((other.newest - tick) | 0) > 0 ? other.newest : NO_TICK;
    this.passed = NO_TICK;
  }

  /** Writes the words of the ticks that are after this one. */
  writeAfter(tick: number, words: Int32Array): void {
    words.set(this.words);
    removeUntil(words, tick, this.#end);
  }

  /** Returns true if these are the words of its ticks that are after this one; undefined words: of no tick. */
  isSameAfter(tick: number, others: Int32Array | undefined): boolean {
    this.writeAfter(tick, scratch);
    for (let word = 0; word < scratch.length; word++)
      if (scratch[word] !== (others?.[word] ?? 0)) return false;
    return true;
  }

  clear(): void {
    this.words.fill(0);
    this.newest = this.passed = NO_TICK;
  }
}

const scratch = noTicks();

/** Removes a tick and those before it from the words of a window that ends at `end`. */
function removeUntil(words: Int32Array, tick: number, end: number): void {
  let left = words.length * 32 - ((end - tick) | 0);
  for (let last = tick; left > 0;) {
    const at = last & 31;
    const count = Math.min(at + 1, left);
    const bits = (count === 32 ? -1 : (1 << count) - 1) << (at + 1 - count);
    words[wordOf(words, last)]! &= ~bits;
    last -= count;
    left -= count;
  }
}

/** Returns the words of a {@link TickWindow} without the ticks after `newest`. */
export function withoutTicksAfter(ticks: TickWindow, newest: number): Int32Array {
  const words = ticks.words.slice();
  for (let tick = ticks.newest; ((tick - newest) | 0) > 0; tick = (tick - 1) >>> 0) removeTick(words, tick);
  return words;
}

/** Returns empty words of a {@link TickWindow}. */
export function noTicks(length: number = ARRIVAL_TICKS): Int32Array {
  return new Int32Array(length / 32);
}

/** Returns true if the words of a {@link TickWindow} have this tick of the window. */
export function hasTick(words: Int32Array, tick: number): boolean {
  return (words[wordOf(words, tick)]! & (1 << (tick & 31))) !== 0;
}

export function addTick(words: Int32Array, tick: number): void {
  words[wordOf(words, tick)]! |= 1 << (tick & 31);
}

function removeTick(words: Int32Array, tick: number): void {
  words[wordOf(words, tick)]! &= ~(1 << (tick & 31));
}

/**
 * Returns how far back from `tick` the newest tick of a group's words is that is at most `tick`; WINDOW_TICKS or
 * more if there is none.
 */
export function ageOfNewest(words: Int32Array, tick: number): number {
  let age = 0;
  while (age < WINDOW_TICKS) {
    const at = (tick - age) & 31;
    const bits = words[wordOf(words, tick - age)]! << (31 - at);
    if (bits !== 0) return age + Math.clz32(bits);
    age += at + 1;
  }
  return WINDOW_TICKS;
}

/** Returns true if two sets are the same in the places of a third one. */
export function isSameIn(places: Int32Array, words: Int32Array, others: Int32Array): boolean {
  for (let word = 0; word < words.length; word++)
    if (((words[word]! ^ others[word]!) & places[word]!) !== 0) return false;
  return true;
}

function wordOf(words: Int32Array, tick: number): number {
  return (tick >>> 5) & (words.length - 1);
}
