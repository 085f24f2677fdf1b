import { addressOfFailed, importAgain } from "./module-again.js";

/** A module that is fetched when it is needed, once. One that did not come is asked for again the next time. */
export class LazyModule<Name extends string, Module extends Readonly<Record<Name, unknown>>> {
  readonly #name: Name;
  readonly #load: () => Promise<Module>;
  #fetched: Promise<Module> | undefined;
  #loads = 0;
  /** The URL of a failed attempt to load the code. */
  #failedAt: URL | undefined;

  /** @param name an export of the module, which tells it from another one at the same address */
  constructor(name: Name, load: () => Promise<Module>) {
    this.#name = name;
    this.#load = load;
  }

  /** Rejects with the error of the import. */
  fetch(): Promise<Module> {
    this.#fetched ??= this.#import().catch((error: unknown) => {
      this.#fetched = undefined;
      this.#failedAt ??= addressOfFailed(error);
      throw error;
    });
    return this.#fetched;
  }

  /** Begins to fetch it before it is needed; a failure shows when it is. */
  prefetch(): void {
    this.fetch().catch(() => undefined);
  }

  #import(): Promise<Module> {
    this.#loads += 1;
    // Both addresses take turns: the browser may well ask for the first one again.
    return this.#failedAt && this.#loads % 2 === 0
      ? importAgain(this.#failedAt, this.#loads, this.#name)
      : this.#load();
  }
}
