/** Blocks within the window that end a room. */
const MAX_BLOCKS = 3;
const LEAST_WINDOW_MS = 10_000;
/** The window is at least this many times as long as a block. */
const WINDOW_BLOCKS = 10;

/**
 * Counts how often a room's code blocks the process. Code that blocks cannot be stopped, but its room can be
 * ended.
 */
export class BlockWatch {
  readonly #blockedMs: number;
  readonly #windowMs: number;
  readonly #atMs: number[] = [];

  /** @param blockedMs code that runs longer counts as a block */
  constructor(blockedMs: number) {
    this.#blockedMs = blockedMs;
    this.#windowMs = Math.max(LEAST_WINDOW_MS, WINDOW_BLOCKS * blockedMs);
  }

  /**
   * Notes how long code has run. Returns whether that was a block, and whether the room has blocked too
   * often.
   */
  note(tookMs: number, nowMs: number): { readonly isBlock: boolean; readonly isTooMuch: boolean } {
    if (!(tookMs > this.#blockedMs)) return { isBlock: false, isTooMuch: false };
    this.#atMs.push(nowMs);
    while (this.#atMs[0]! < nowMs - this.#windowMs) this.#atMs.shift();
    return { isBlock: true, isTooMuch: this.#atMs.length >= MAX_BLOCKS };
  }
}
