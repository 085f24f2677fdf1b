/**
 * The result of a step of `pnpm verify`. A step that could not run gives the reason in `skipped`; otherwise
 * it must have run to
 * pass.
 * @typedef {{ passed: number, failed: number, skipped: string[], notes: string[] }} Outcome
 */

/**
 * @param {readonly (readonly [what: string, fault: string | undefined])[]} checks
 * @returns {Outcome} the faults are its notes
 */
export function outcome(checks) {
  const faults = checks.flatMap(([what, fault]) => (fault === undefined ? [] : [`${what}: ${fault.trim()}`]));
  return { passed: checks.length - faults.length, failed: faults.length, skipped: [], notes: faults };
}

/**
 * Fails a step that has checked nothing and gives no reason.
 * @param {Outcome} found @returns {Outcome}
 */
export function settled(found) {
  if (found.passed + found.failed + found.skipped.length > 0) return found;
  return { ...found, failed: 1, notes: ["it has checked nothing and does not say why", ...found.notes] };
}

/** @param {string} why @returns {Outcome} */
export const skip = (why) => ({ passed: 0, failed: 0, skipped: [why], notes: [] });

/** @param {string} output @returns {unknown} the JSON object that a tool writes as its last line */
export function lastJson(output) {
  const line = output.trimEnd().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
