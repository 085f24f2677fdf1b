import { afterAll, vi } from "vitest";

/*
 * Runs before each test file and checks that the file leaves no global changed. A process runs many files,
 * and a replaced clock
 * or timer would make later files fail.
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
/** Node computes some globals on first use, and then replaces their getters. */
const READ_LATER = Symbol("read later");
/** Names like `$ark` and `__zod_globalRegistry`, under which libraries and the runner keep registries. */
const REGISTRY = /\.[$_]/;

function globals(): ReadonlyMap<string, unknown> {
  const held = new Map<string, unknown>();
  for (const [holder, object] of Object.entries(HOLDERS))
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(object)))
      held.set(`${holder}.${key}`, "value" in property ? property.value : READ_LATER);
  return held;
}

const before = globals();

afterAll(async () => {
  // Code that a room fetches when it is idle must not arrive after the process has ended the file.
  await vi.dynamicImportSettled();
  // The runner restores mocks after each file, but only after this check.
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
