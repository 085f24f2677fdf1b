import type { Room } from "@paceline/client";
import { Panel, type PanelOptions } from "./panel.js";

export { bugReport } from "./bug-report.js";
export type { Panel, PanelOptions } from "./panel.js";

/**
 * Opens a panel over the page that shows a room's paths and can simulate a worse network. Import it on first
 * use, so that other players do not download it:
 *
 *     const { showPanel } = await import("@paceline/panel");
 *     const panel = showPanel(room);
 */
export function showPanel(room: Room, options: PanelOptions = {}): Panel {
  const panel = new Panel(room, options);
  panel.open();
  return panel;
}
