/** Start of the message of Chromium and Firefox for a module that failed to load. Its address follows. */
const FAILED_MODULE = /dynamically imported module: (https?:\/\/\S+)/;

/**
 * Returns the address of the module that failed to load, from the error's message. Undefined if it has none.
 */
export function addressOfFailed(error: unknown): URL | undefined {
  const [, address] = FAILED_MODULE.exec(String(error)) ?? [];
  return address === undefined || !URL.canParse(address) ? undefined : new URL(address);
}

/**
 * Imports a module that failed to load, with another query in its address. Firefox caches the failure of an
 * address for the life of the page, as HTML specifies, and does not request it again. The failure of a module
 * that this one imports stays cached. Rejects for another origin than this code's. Also rejects if `name` is
 * not exported: some bundlers rename exports.
 */
export async function importAgain<Module extends object>(
  failed: URL,
  attempt: number,
  name: keyof Module & string,
): Promise<Module> {
  if (failed.origin !== new URL(import.meta.url).origin) throw new Error(`${failed.origin} is not ours`);
  const address = new URL(failed);
  address.searchParams.set("again", String(attempt));
  const module = (await import(/* @vite-ignore */ /* webpackIgnore: true */ address.href)) as object;
  if (name in module) return module as Module;
  throw new Error(`${failed.pathname} has no ${name}`);
}
