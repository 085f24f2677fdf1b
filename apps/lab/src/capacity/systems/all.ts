import type { CapacitySystem } from "../system.js";
import { colyseus } from "./colyseus.js";
import { paceline } from "./paceline.js";
import { plain } from "./plain.js";

/** The compared systems in the order of a run: direct rivals run one after the other. */
export const systems: readonly CapacitySystem[] = [plain, paceline, colyseus];

/** Returns the system of that name. Throws if there is none. */
export function systemNamed(name: string): CapacitySystem {
  const found = systems.find((system) => system.name === name);
  if (found) return found;
  throw new Error(`no system is called "${name}": there are ${systems.map((each) => each.name).join(", ")}`);
}
