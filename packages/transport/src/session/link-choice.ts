import type { TrafficClassName } from "@paceline/protocol";
import type { LinkMonitor } from "./link-monitor.js";

/** Of those that work, the one that is preferred. */
export function bestOf(monitors: readonly LinkMonitor[]): LinkMonitor | undefined {
  let best: LinkMonitor | undefined;
  for (const monitor of monitors) {
    if (monitor.isUsable && (!best || monitor.options.preference > best.options.preference)) best = monitor;
  }
  return best;
}

/** Whether packets of this class may go over a link that carries only what may be lost. */
export function mayBeLost(trafficClass: TrafficClassName): boolean {
  return trafficClass === "state" || trafficClass === "input" || trafficClass === "event";
}
