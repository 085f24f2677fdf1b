/** `npm test`: runs everything from a fresh clone, with only Node and npm. The last line is the result. */
import "./node-version.mjs";
import path from "node:path";
import { buildAll } from "./build.mjs";
import { endChildrenOnSignals, runChild } from "./children.mjs";
import { ensurePrograms } from "./debian.mjs";
import { QUICK, runE2e } from "./e2e.mjs";
import { runGates } from "./gates.mjs";
import { ensureInstalled, ROOT } from "./pnpm.mjs";
import { lastJson } from "./verify/outcome.mjs";

/** Long enough for a second try of each case that is only slow on a busy machine. */
const ATTACK_LIMIT_MS = 300_000;

/** @returns {Promise<{ passed: number, failed: number }>} */
async function testAll() {
  if (!(await ensureInstalled())) return { passed: 0, failed: 1 };
  await ensurePrograms();
  const isBuilt = await buildAll();
  const gates = await runGates();
  // Without a build there is no page, and the failed build itself counts.
  const e2e = isBuilt ? await runE2e(QUICK) : { passed: 0, failed: 0 };
  const attack = isBuilt ? await runQuickAttack() : { passed: 0, failed: 0 };
  return {
    passed: gates.passed + e2e.passed + attack.passed + (isBuilt ? 1 : 0),
    failed: gates.failed + e2e.failed + attack.failed + (isBuilt ? 0 : 1),
  };
}

/**
 * Runs a minute of the attack suite; each case counts. @returns {Promise<{ passed: number, failed: number }>}
 */
async function runQuickAttack() {
  const { code, output, durationMs } = await runChild(
    process.execPath,
    [path.join(ROOT, "tools/attack.mjs"), "--quick", "--json"],
    { cwd: ROOT, timeoutMs: ATTACK_LIMIT_MS },
  );
  const result = /** @type {{ passed: number, failed: number } | undefined} */ (lastJson(output));
  const { passed, failed } = result ?? { passed: 0, failed: 1 };
  if (code !== 0 || failed > 0) process.stdout.write(output);
  const verdict = code === 0 ? "ok  " : "FAIL";
  console.log(`${verdict} attack (${(durationMs / 1000).toFixed(1)} s, ${passed} passed, ${failed} failed)`);
  return { passed, failed: code === 0 ? failed : Math.max(1, failed) };
}

endChildrenOnSignals(130);
const startedMs = performance.now();
const { passed, failed } = await testAll();
console.log(`All of it took ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes.`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
