import { pacelineClient, pacelineWire } from "./paceline-systems.js";
import { colyseus, naiveWebSocket, socketIo } from "./rival-systems.js";
import type { RelaySystem } from "./system.js";

/** The compared systems, in the order of a run. */
export const systems: readonly RelaySystem[] = [
  naiveWebSocket,
  pacelineWire,
  pacelineClient,
  colyseus,
  socketIo,
];

/** Returns the system of that name. Throws if there is none. */
export function systemNamed(name: string): RelaySystem {
  const found = systems.find((system) => system.name === name);
  if (found) return found;
  throw new Error(`no system is called "${name}": there are ${systems.map((each) => each.name).join(", ")}`);
}
