/** So Chromium and Firefox begin what they say of a module that did not come; its address follows. */
const FAILED_MODULE = /dynamically imported module: (https?:\/\/\S+)/;

/** The address of the module that did not load, by the error's own words; undefined where they do not say. */
export function addressOfFailed(error: unknown): URL | undefined {
  const [, address] = FAILED_MODULE.exec(String(error)) ?? [];
  return address === undefined || !URL.canParse(address) ? undefined : new URL(address);
}

/**
 * Imports a module that did not load, by an address of its own: Firefox remembers for as long as the page lives that the
 * other one failed, as HTML specifies, and does not ask the server again. Only from where this code came itself. Where a
 * module that it needs was what did not come, that is remembered all the same. Rejects where `name` is not exported:
 * some bundlers give exports other names.
 */
export async function importAgain<Name extends string, Module extends Record<Name, unknown>>(
  failed: URL,
  attempt: number,
  name: Name,
): Promise<Module> {
  if (failed.origin !== new URL(import.meta.url).origin) throw new Error(`${failed.origin} is not ours`);
  const address = new URL(failed);
  address.searchParams.set("again", String(attempt));
  const module = (await import(/* @vite-ignore */ /* webpackIgnore: true */ address.href)) as object;
  if (name in module) return module as Module;
  throw new Error(`${failed.pathname} has no ${name}`);
}
