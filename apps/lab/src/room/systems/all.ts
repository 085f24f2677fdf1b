import type { RoomSystem } from "../system.js";
import { colyseusFloat, colyseusQuantised } from "./colyseus.js";
import { geckos } from "./geckos.js";
import { pacelineWebRtc, pacelineWebSocket } from "./paceline.js";
import { rawWebSocket } from "./raw-web-socket.js";
import { socketIo } from "./socket-io.js";

/** In the order of a run: who is compared directly comes one after the other. */
export const systems: readonly RoomSystem[] = [
  rawWebSocket,
  pacelineWebSocket,
  colyseusQuantised,
  colyseusFloat,
  socketIo,
  geckos,
  pacelineWebRtc,
];

/** Throws for a name that none has. */
export function systemNamed(name: string): RoomSystem {
  const found = systems.find((system) => system.name === name);
  if (found) return found;
  throw new Error(`no system is called "${name}": there are ${systems.map((each) => each.name).join(", ")}`);
}
