import { beforeAll } from "vitest";

/*
 * Runs before each test file. The runner reads each use of an import from an object of its own, through a getter, and V8
 * keeps such an object as a hash table. Simulations spend a fifth of their time in that. Nothing here exports a variable
 * that changes, so once a file's imports are there, plain values take the getters' place.
 */

interface RunnerModule {
  readonly evaluated: boolean;
  readonly exports?: object;
}

/** The runner's own table: not a part of its API. Without it, tests only take longer, and one of them says so. */
interface Runner {
  readonly evaluatedModules?: { readonly idToModuleMap?: ReadonlyMap<string, RunnerModule> };
}

const KEY = Symbol.for("paceline: modules with plain exports");
const globals = globalThis as { [KEY]?: WeakSet<object> };

/** Makes V8 keep an object as it keeps a prototype: with its properties at fixed places. */
function settle(object: object): void {
  function Heir(): void {}
  Heir.prototype = object;
  const heir = new (Heir as unknown as new () => Record<string, unknown>)();
  for (let read = 0; read < 2; read++) void heir["none"];
}

/** Returns the modules of this repository that the process has run. */
function ownModules(): object[] {
  const runner = Reflect.get(globalThis, "__vitest_worker__") as Runner | undefined;
  return [...(runner?.evaluatedModules?.idToModuleMap ?? [])].flatMap(([id, { evaluated, exports }]) =>
    evaluated && exports && !id.includes("/node_modules/") && !id.startsWith("mock:") ? [exports] : [],
  );
}

beforeAll(() => {
  const settled = (globals[KEY] ??= new WeakSet());
  for (const exports of ownModules().filter((each) => !settled.has(each))) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(exports))) {
      if ("value" in property || property.configurable !== true) continue;
      const value = Reflect.get(exports, name) as unknown;
      Object.defineProperty(exports, name, { value, enumerable: true, configurable: true, writable: true });
    }
    settled.add(exports);
    settle(exports);
  }
});
