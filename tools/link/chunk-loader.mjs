/** Start of the message of Chromium and Firefox for a module that failed to load. Its address follows. */
const FAILED_MODULE = /dynamically imported module: (https?:\/\/\S+)/;

/**
 * Part of the linked client: loads its chunks. A chunk's module exports a factory, which gets the exports of the
 * chunks that it needs and returns its own. No chunk imports another one, so all of them load in parallel.
 *
 * @typedef {Readonly<Record<string, unknown>>} Exports
 * @typedef {(index: Exports, ...needed: Exports[]) => Exports} Factory
 * @typedef {readonly [load: () => Promise<object>, ...needed: string[]]} Chunk
 * @param {Exports} index what the first chunk gives the other ones
 * @param {Readonly<Record<string, Chunk>>} chunks by name
 */
export function chunkLoader(index, chunks) {
  /** @type {Record<string, Promise<Exports> | undefined>} */
  const loading = {};
  /** @type {Record<string, Exports>} */
  const made = {};
  /** @type {Record<string, URL>} addresses that failed, by chunk */
  const failed = {};
  let tries = 0;

  /** @param {string} name @param {() => Promise<object>} load */
  async function fetchFactory(name, load) {
    const address = failed[name];
    // Tries both addresses in turn, because the first one may work again.
    const isAgain = address !== undefined && (tries += 1) % 2 === 1;
    try {
      return factoryOf(await (isAgain ? importAgain(address, tries) : load()));
    } catch (error) {
      const [, text = ""] = FAILED_MODULE.exec(String(error)) ?? [];
      if (URL.canParse(text)) failed[name] ??= new URL(text);
      throw error;
    }
  }

  /** @param {string} name */
  async function make(name) {
    const [load, ...needed] = /** @type {Chunk} */ (chunks[name]);
    const [factory, ...given] = await Promise.all([fetchFactory(name, load), ...needed.map(loadChunk)]);
    return (made[name] ??= factory(index, ...given));
  }

  /**
   * Loads a chunk once; after a failure, the next call tries again. Rejects with the error of the import.
   * @param {string} name @returns {Promise<Exports>}
   */
  function loadChunk(name) {
    return (loading[name] ??= make(name).catch((error) => {
      loading[name] = undefined;
      throw error;
    }));
  }

  /**
   * Makes a chunk that the page has imported itself, after the ones that it needs.
   * @param {string} name @param {Factory} factory @param {string[]} needed
   */
  function enter(name, factory, ...needed) {
    const given = needed.map((other) => /** @type {Exports} */ (made[other]));
    const exports = (made[name] ??= factory(index, ...given));
    loading[name] ??= Promise.resolve(exports);
    return exports;
  }

  return { index, loadChunk, enter };
}

/**
 * Imports a chunk under another query. Firefox keeps the failure of an address for the life of the page, as HTML
 * specifies. A second copy of a chunk is harmless, since its module has neither state nor imports.
 * @param {URL} failed @param {number} attempt @returns {Promise<object>}
 */
function importAgain(failed, attempt) {
  // The text of an error decides the address, so it may only lead to where this code itself is from.
  if (failed.origin !== new URL(import.meta.url).origin) throw new Error(`${failed.origin} is not ours`);
  const address = new URL(failed);
  address.searchParams.set("again", String(attempt));
  return import(/* @vite-ignore */ /* webpackIgnore: true */ address.href);
}

/** Returns a chunk's only export; some bundlers rename it. @param {object} module @returns {Factory} */
function factoryOf(module) {
  const factory = Object.values(module).find((value) => typeof value === "function");
  if (factory === undefined) throw new Error("this module is no chunk of Paceline");
  return factory;
}
