import { ConfigError, NetError } from "@paceline/protocol";
import {
  SlotStore,
  slots,
  type CountedStore,
  type Slot,
  type SlotMedium,
  type StoreOptions,
} from "./slot-store.js";

type MaybePromise<Value> = Value | PromiseLike<Value>;

/** The part of a driver of unstorage that rooms need. A storage of unstorage has it, too. */
export interface StorageDriver {
  readonly name?: string;
  getItemRaw(key: string, options?: object): MaybePromise<unknown>;
  setItemRaw(key: string, value: Uint8Array, options?: object): MaybePromise<unknown>;
  removeItem(key: string, options?: object): MaybePromise<unknown>;
  getKeys(base: string, options?: object): MaybePromise<readonly string[]>;
}

/** Options of {@link driverStore}. */
export interface DriverStoreOptions extends StoreOptions {
  /** Begins the keys. Default: `paceline:rooms:`. */
  readonly prefix?: string;
}

const needed = ["getItemRaw", "setItemRaw", "removeItem", "getKeys"] as const;

/**
 * Keeps rooms by any driver or storage of unstorage, or by an object with the same four methods. How much
 * survives a crash is the driver's matter. Nothing keeps a second process out. Throws `ConfigError` naming a
 * method that is missing.
 */
export function driverStore(driver: StorageDriver, options: DriverStoreOptions = {}): CountedStore {
  if (typeof driver !== "object" || driver === null) throw new ConfigError("driver", driver, "a driver");
  for (const method of needed) {
    if (typeof driver[method] === "function") continue;
    throw new ConfigError(`driver.${method}`, driver[method], "a function, as a driver of unstorage has it");
  }
  const { prefix = "paceline:rooms:", ...rest } = options;
  return new SlotStore(new DriverMedium(driver, prefix), rest);
}

class DriverMedium implements SlotMedium {
  readonly #driver: StorageDriver;
  readonly #prefix: string;

  constructor(driver: StorageDriver, prefix: string) {
    this.#driver = driver;
    this.#prefix = prefix;
  }

  get where(): string {
    return `the driver ${this.#driver.name ?? ""}`.trim();
  }

  async read(name: string, slot: Slot): Promise<Uint8Array | undefined> {
    const value = await this.#driver.getItemRaw(this.#keyOf(name, slot), {});
    if (value === undefined || value === null) return undefined;
    if (value instanceof Uint8Array) return value;
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    const why = "its getItemRaw returned neither a Uint8Array nor null: use a driver that keeps bytes";
    throw new NetError("store/failed", `cannot read a saved room in ${this.where}: ${why}`);
  }

  async write(name: string, slot: Slot, bytes: Uint8Array): Promise<void> {
    await this.#driver.setItemRaw(this.#keyOf(name, slot), bytes, {});
  }

  async remove(name: string): Promise<void> {
    for (const slot of slots) await this.#driver.removeItem(this.#keyOf(name, slot), {});
  }

  async names(): Promise<string[]> {
    const names = new Set<string>();
    for (const given of await this.#driver.getKeys(this.#prefix, {})) {
      // A driver for files returns paths.
      const key = given.replaceAll(/[/\\]/g, ":");
      // Some drivers return all keys, whatever the base is.
      if (!key.startsWith(this.#prefix)) continue;
      const [name = "", slot, ...more] = key.slice(this.#prefix.length).split(".");
      if (more.length === 0 && slots.some((each) => each === slot)) names.add(name);
    }
    return [...names];
  }

  async close(): Promise<void> {
    // The driver is the game's: others may use it.
  }

  #keyOf(name: string, slot: Slot): string {
    return `${this.#prefix}${name}.${slot}`;
  }
}
