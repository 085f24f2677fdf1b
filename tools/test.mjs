/** `npm test`: everything, from a fresh clone, with nothing but Node and npm. The last line says how it went. */
import "./node-version.mjs";
import { buildAll } from "./build.mjs";
import { endChildrenOnSignals } from "./children.mjs";
import { ensurePrograms } from "./debian.mjs";
import { QUICK, runE2e } from "./e2e.mjs";
import { runGates } from "./gates.mjs";
import { ensureInstalled } from "./pnpm.mjs";

/** @returns {Promise<{ passed: number, failed: number }>} */
async function testAll() {
  if (!(await ensureInstalled())) return { passed: 0, failed: 1 };
  await ensurePrograms();
  const isBuilt = await buildAll();
  const gates = await runGates();
  // Without a build there is no page to open, and the build itself is the failure that counts.
  const e2e = isBuilt ? await runE2e(QUICK) : { passed: 0, failed: 0 };
  return {
    passed: gates.passed + e2e.passed + (isBuilt ? 1 : 0),
    failed: gates.failed + e2e.failed + (isBuilt ? 0 : 1),
  };
}

endChildrenOnSignals(130);
const startedMs = performance.now();
const { passed, failed } = await testAll();
console.log(`All of it took ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes.`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
