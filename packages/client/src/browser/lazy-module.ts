import { addressOfFailed, importAgain } from "./module-again.js";

/** A module that is loaded once, at its first use. After a failure, the next use loads it again. */
export class LazyModule<Name extends string, Module extends Readonly<Record<Name, unknown>>> {
  readonly #name: Name;
  readonly #load: () => Promise<Module>;
  #fetched: Promise<Module> | undefined;
  #loads = 0;
  #failedAt: URL | undefined;

  /** @param name an export of the module, which distinguishes it from another one at the same address */
  constructor(name: Name, load: () => Promise<Module>) {
    this.#name = name;
    this.#load = load;
  }

  /** Loads the module. Rejects with the error of the import. */
  fetch(): Promise<Module> {
    this.#fetched ??= this.#import().catch((error: unknown) => {
      this.#fetched = undefined;
      this.#failedAt ??= addressOfFailed(error);
      throw error;
    });
    return this.#fetched;
  }

  /** Starts to load the module before its first use. That use reports a failure. */
  prefetch(): void {
    this.fetch().catch(() => undefined);
  }

  #import(): Promise<Module> {
    this.#loads += 1;
    // Alternates between both addresses, because the first one may work again.
    return this.#failedAt && this.#loads % 2 === 0
      ? importAgain(this.#failedAt, this.#loads, this.#name)
      : this.#load();
  }
}
