import type { RoomSystem } from "../system.js";
import { colyseusFloat, colyseusQuantised } from "./colyseus.js";
import { geckos } from "./geckos.js";
import { pacelineWebRtc, pacelineWebSocket } from "./paceline.js";
import { rawWebSocket } from "./raw-web-socket.js";
import { socketIo } from "./socket-io.js";

/** The compared systems in the order of a run: direct rivals run one after the other. */
export const systems: readonly RoomSystem[] = [
  rawWebSocket,
  pacelineWebSocket,
  colyseusQuantised,
  colyseusFloat,
  socketIo,
  geckos,
  pacelineWebRtc,
];

/** Returns the system of that name. Throws if there is none. */
export function systemNamed(name: string): RoomSystem {
  const found = systems.find((system) => system.name === name);
  if (found) return found;
  throw new Error(`no system is called "${name}": there are ${systems.map((each) => each.name).join(", ")}`);
}
