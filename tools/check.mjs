/**
 * `pnpm check`: runs every gate except the browsers. Continues after a failure, so that one run shows all
 * faults.
 */
import "./node-version.mjs";
import { endChildrenOnSignals } from "./children.mjs";
import { runGates } from "./gates.mjs";

endChildrenOnSignals(130);
const { passed, failed } = await runGates();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
