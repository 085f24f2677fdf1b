import type { Circuit } from "./circuit.js";
import { pacelineRing } from "./paceline-ring.js";

/** The second circuit lies east of this. */
const BORDER_X_M = 500;

const known: Circuit[] = [pacelineRing];

/** The loaded circuits, in the order in which races use them. */
export const circuits: readonly Circuit[] = known;

/** Adds a circuit to the end of the list; `salt-flats.js` adds its own when it is loaded. */
export function addCircuit(circuit: Circuit): void {
  known.push(circuit);
}

/** The circuit of a race: races take the loaded circuits in turn. */
export function circuitOf(race: number): Circuit {
  return known[Math.max(0, race - 1) % known.length]!;
}

/** The circuit at a position. */
export function circuitAt({ x }: { readonly x: number }): Circuit {
  return (x > BORDER_X_M && known[1]) || pacelineRing;
}
