import { BULK_FRAGMENT_BYTES } from "./payload-limits.js";

/** Decides how many bytes may be on their way without a receipt. */
export interface SendWindow {
  /** For what goes again. */
  readonly firstBytes: number;
  /** The window after a receipt. `tookMs`: from sending to receipt, unless it was sent more than once. */
  after(windowBytes: number, receiptBytes: number, tookMs: number | undefined, nowMs: number): number;
  /** Another path may take another time. */
  forget(): void;
}

/** Bytes on their way: doubled with every round trip that shows no queue, smaller where one does. */
const FIRST_WINDOW_BYTES = 4 * BULK_FRAGMENT_BYTES;
const MAX_WINDOW_BYTES = 65_536;
/** Two fragments: their receipt comes at once. */
const MIN_WINDOW_BYTES = 2 * BULK_FRAGMENT_BYTES;
/** A receipt that takes so much longer than the quickest one did says that a queue stands somewhere. */
const QUEUE_MS = 60;
const SHRINK_SHARE = 0.6;
/** Share of the excess by which the quickest one is forgotten with every receipt: a route may become longer for good. */
const FORGOTTEN_SHARE = 0.002;

/**
 * Grows while receipts are quick, shrinks when they take longer than the path needs: then a queue stands somewhere. So
 * whatever else is sent waits for a fragment or two and no longer. Pure: time comes in.
 */
export class DelayWindow implements SendWindow {
  readonly firstBytes = FIRST_WINDOW_BYTES;
  #baseMs: number | undefined;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;

  after(windowBytes: number, receiptBytes: number, tookMs: number | undefined, nowMs: number): number {
    if (tookMs === undefined) return windowBytes;
    const baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    this.#baseMs = baseMs + (tookMs - baseMs) * FORGOTTEN_SHARE;
    if (tookMs <= baseMs + QUEUE_MS) return Math.min(MAX_WINDOW_BYTES, windowBytes + receiptBytes);
    if (nowMs - this.#shrunkAtMs <= tookMs) return windowBytes;
    // Once in a round trip: its receipts all speak of the same queue.
    this.#shrunkAtMs = nowMs;
    return Math.max(MIN_WINDOW_BYTES, windowBytes * SHRINK_SHARE);
  }

  forget(): void {
    this.#baseMs = undefined;
  }
}
