/** Blocks within the window that end a room. */
const MAX_BLOCKS = 3;
const LEAST_WINDOW_MS = 10_000;
/** The window is at least this many times as long as a block. */
const WINDOW_BLOCKS = 10;

/**
 * Returns a function that takes how long code has run, and counts how often a room's code blocks the process:
 * runs longer than `blockedMs`. Code that blocks cannot be stopped, but its room can be ended.
 */
export function blockWatch(blockedMs: number) {
  const windowMs = Math.max(LEAST_WINDOW_MS, WINDOW_BLOCKS * blockedMs);
  const blocksAtMs: number[] = [];
  return (tookMs: number, nowMs: number): "short" | "block" | "too many blocks" => {
    if (!(tookMs > blockedMs)) return "short";
    blocksAtMs.push(nowMs);
    while (blocksAtMs[0]! < nowMs - windowMs) blocksAtMs.shift();
    return blocksAtMs.length >= MAX_BLOCKS ? "too many blocks" : "block";
  };
}
