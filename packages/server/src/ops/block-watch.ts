/** Blocks within the window after which a room is to be ended. */
const MAX_BLOCKS = 3;
const LEAST_WINDOW_MS = 10_000;
/** Steps and hooks of which none blocks more than is allowed may be this many blocks' worth apart. */
const WINDOW_BLOCKS = 10;

/** Counts how often a room's code blocked the process for too long: nothing can stop code that blocks. */
export class BlockWatch {
  readonly #blockedMs: number;
  readonly #windowMs: number;
  readonly #atMs: number[] = [];

  /** @param blockedMs what takes longer has blocked */
  constructor(blockedMs: number) {
    this.#blockedMs = blockedMs;
    this.#windowMs = Math.max(LEAST_WINDOW_MS, WINDOW_BLOCKS * blockedMs);
  }

  /** Something has run for so long: whether that was a block, and whether it was one too many. */
  note(tookMs: number, nowMs: number): { readonly isBlock: boolean; readonly isTooMuch: boolean } {
    if (!(tookMs > this.#blockedMs)) return { isBlock: false, isTooMuch: false };
    this.#atMs.push(nowMs);
    while (this.#atMs[0]! < nowMs - this.#windowMs) this.#atMs.shift();
    return { isBlock: true, isTooMuch: this.#atMs.length >= MAX_BLOCKS };
  }
}
