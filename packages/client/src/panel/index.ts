import type { Room } from "../api/room.js";
import { Panel, type PanelOptions } from "./panel.js";

export { bugReport } from "./bug-report.js";
export type { Panel, PanelOptions } from "./panel.js";

/**
 * Puts a panel over the page that shows a room's paths and lets a worse network be pretended, and opens it. Import it
 * when it is first wanted, so that nobody else downloads it:
 *
 *     const { showPanel } = await import("@paceline/client/panel");
 *     const panel = showPanel(room);
 */
export function showPanel(room: Room, options: PanelOptions = {}): Panel {
  const panel = new Panel(room, options);
  panel.open();
  return panel;
}
