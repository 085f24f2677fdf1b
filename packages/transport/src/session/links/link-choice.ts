import type { LinkMonitor } from "./link-monitor.js";

/** Returns the preferred one of the links that work. */
export function bestOf(monitors: readonly LinkMonitor[]): LinkMonitor | undefined {
  let best: LinkMonitor | undefined;
  for (const monitor of monitors) {
    if (monitor.isUsable && (!best || monitor.options.preference > best.options.preference)) best = monitor;
  }
  return best;
}
