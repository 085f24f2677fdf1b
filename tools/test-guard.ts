import { afterAll, vi } from "vitest";

/*
 * Runs before each test file. A process runs many files: one that leaves a clock or a timer of its own behind would stop
 * those after it, which then fail for no reason of theirs.
 */

const HOLDERS = {
  globalThis,
  performance,
  Math,
  Date,
  console,
  "Uint8Array.prototype": Uint8Array.prototype,
  "TypedArray.prototype": Object.getPrototypeOf(Uint8Array.prototype) as object,
};
/** Node reads some of its globals on first use, and replaces a getter then. */
const READ_LATER = Symbol("read later");
/** Libraries and the runner keep registries under such names: `$ark`, `__zod_globalRegistry`. */
const REGISTRY = /\.[$_]/;

function globals(): ReadonlyMap<string, unknown> {
  const held = new Map<string, unknown>();
  for (const [holder, object] of Object.entries(HOLDERS))
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(object)))
      held.set(`${holder}.${key}`, "value" in property ? property.value : READ_LATER);
  return held;
}

const before = globals();

afterAll(() => {
  // The runner does the same after each file, when nobody looks any more.
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  if (vi.isFakeTimers()) throw new Error("the file leaves fake timers in force");
  const after = globals();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) =>
      !REGISTRY.test(name) &&
      before.get(name) !== READ_LATER &&
      !Object.is(before.get(name), after.get(name)),
  );
  if (changed.length > 0) throw new Error(`the file has changed and not put back: ${changed.join(", ")}`);
});
