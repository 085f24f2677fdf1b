import type { Circuit } from "./circuit.js";
import { pacelineRing } from "./paceline-ring.js";

/** East of this lies the second circuit. */
const BORDER_X_M = 500;

const known: Circuit[] = [pacelineRing];

/** The circuits that are loaded, in the order in which they are driven. */
export const circuits: readonly Circuit[] = known;

/** A circuit that comes after the first load: `salt-flats.js` adds itself. */
export function addCircuit(circuit: Circuit): void {
  known.push(circuit);
}

/** The circuit of a race, by its number: one after the other. */
export function circuitOf(race: number): Circuit {
  return known[Math.max(0, race - 1) % known.length]!;
}

/** The circuit on which a place is. */
export function circuitAt({ x }: { readonly x: number }): Circuit {
  return (x > BORDER_X_M && known[1]) || pacelineRing;
}
