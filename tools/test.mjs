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

/** Ends a suite that hangs. Far above what a slow machine takes, so that it ends no other. */
const ATTACK_LIMIT_MS = 1_800_000;

/** @returns {Promise<{ passed: number, failed: number }>} */
async function testAll() {
  if (!(await ensureInstalled())) return { passed: 0, failed: 1 };
  await ensurePrograms();
  // Without a build there is no page, and the failed build itself counts.
  if (!(await buildAll())) {
    const gates = await runGates();
    return { passed: gates.passed, failed: gates.failed + 1 };
  }
  const gates = await runGates({ before: [() => runE2e(QUICK)], after: [runQuickAttack] });
  return { passed: gates.passed + 1, failed: gates.failed };
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
