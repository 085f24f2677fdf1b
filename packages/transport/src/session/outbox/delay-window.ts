import { BULK_FRAGMENT_BYTES } from "./payload-limits.js";

/** Limits the bytes on their way without a receipt. */
export interface SendWindow {
  /** The window for repeated messages, bytes. */
  readonly firstBytes: number;
  /**
   * Returns the window after a receipt. `tookMs` is the time from sending to the receipt. It is undefined for
   * a repeated message.
   */
  after(windowBytes: number, receiptBytes: number, tookMs: number | undefined, nowMs: number): number;
  /** Forgets measurements, because another path may need another time. */
  forget(): void;
}

/** Windows, bytes. The window doubles with every round trip without a queue, and shrinks with a queue. */
const FIRST_WINDOW_BYTES = 4 * BULK_FRAGMENT_BYTES;
const MAX_WINDOW_BYTES = 65_536;
/** Two fragments, because their receipt arrives at once. */
const MIN_WINDOW_BYTES = 2 * BULK_FRAGMENT_BYTES;
/** Excess of a receipt's time over the quickest one that shows a queue, ms. */
const QUEUE_MS = 60;
const SHRINK_SHARE = 0.6;
/**
 * Share of the excess that is added to the quickest time at every receipt: a route may become longer for
 * good.
 */
const FORGOTTEN_SHARE = 0.002;

/**
 * A window that grows while receipts are quick. It shrinks when they take longer than the path needs, because
 * that shows a queue. Other traffic therefore waits for one or two fragments at most. Has no clock of its
 * own.
 */
export class DelayWindow implements SendWindow {
  readonly firstBytes = FIRST_WINDOW_BYTES;
  #baseMs: number | undefined;
  #shrunkAtMs = -Infinity;

  after(windowBytes: number, receiptBytes: number, tookMs: number | undefined, nowMs: number): number {
    if (tookMs === undefined) return windowBytes;
    const baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    this.#baseMs = baseMs + (tookMs - baseMs) * FORGOTTEN_SHARE;
    if (tookMs <= baseMs + QUEUE_MS) return Math.min(MAX_WINDOW_BYTES, windowBytes + receiptBytes);
    if (nowMs - this.#shrunkAtMs <= tookMs) return windowBytes;
    // Shrinks once in a round trip, because all its receipts show the same queue.
    this.#shrunkAtMs = nowMs;
    return Math.max(MIN_WINDOW_BYTES, windowBytes * SHRINK_SHARE);
  }

  forget(): void {
    this.#baseMs = undefined;
  }
}
