import type { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { ConfigError } from "../errors/errors.js";
import type { CollectionSite } from "../schema/entity-composites.js";
import { itemCodec, type ItemCodec } from "./item-codec.js";

/** A changed key or index. Without a value it was removed, without a previous one it is new. */
export type ItemChange = readonly [key: string | number, value: unknown, previous: unknown];

/** Bytes that lists and maps of one side may hold together. */
export class CollectionBudget {
  bytes = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  fits(bytes: number): boolean {
    return this.bytes + bytes <= this.#maxBytes;
  }

  /** Throws {@link ConfigError} if no room is left for so many more bytes. */
  assertFits(field: string, bytes: number): void {
    if (bytes <= 0 || this.fits(bytes)) return;
    const expected = `at most ${this.#maxBytes} bytes in the lists and maps of all entities of one owner`;
    throw new ConfigError(field, this.bytes + bytes, expected);
  }
}

/** The side that holds a list or map. */
export interface CollectionHost {
  readonly budget: CollectionBudget;
  /**
   * Called before a write. Returns false if the write has no effect. Throws {@link ConfigError} if this side may
   * not write.
   */
  admits(field: string, value: unknown): boolean;
}

/** Changes of one message, checked and ready to be made. */
export interface ReadChanges {
  /** Bytes by which the contents grow. */
  readonly growth: number;
  /** Number of changed items. */
  readonly count: number;
  make(): readonly ItemChange[];
}

/** Takes operations one by one. */
export type PutOperation = (write: (writer: ByteWriter) => void) => void;

/**
 * A list or map of changing length of one entity. It is no part of states: its changes travel as reliable messages.
 * Values are copies that cannot be changed, rounded to the field's precision as receivers read them.
 */
export abstract class Collection {
  /** Path of the field, for errors: `player.inventory`. */
  readonly path: string;
  readonly tag: number;
  readonly max: number;
  readonly isForOwner: boolean;
  /** Called for each change, own or received, once all of a message are made. */
  readonly listeners = new Set<(...change: ItemChange) => void>();
  protected readonly codec: ItemCodec;
  protected readonly site: CollectionSite;
  #host: CollectionHost;
  #bytes = 0;

  constructor(site: CollectionSite, host: CollectionHost) {
    this.site = site;
    this.path = site.path;
    this.tag = site.tag;
    this.max = site.field.max;
    this.isForOwner = site.field.visibleTo === "owner";
    this.codec = codecOf(site);
    this.#host = host;
  }

  /** Bytes of the contents. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if something has changed since the last {@link takeChanges}. */
  abstract get isDirty(): boolean;
  protected abstract get count(): number;

  /** The items of a list, or the pairs of a map, which {@link fill} takes. */
  abstract contents(): Iterable<unknown>;
  /** Gives it these contents, by the changes that are needed for that. Throws {@link ConfigError} for wrong ones. */
  abstract fill(values: unknown): void;
  /** Reads the operations of a block, to the end of the reader. Returns undefined if it is malformed or exceeds the limit. */
  abstract read(reader: ByteReader): ReadChanges | undefined;
  /** Returns a copy with the same contents. */
  abstract copy(host: CollectionHost): Collection;
  /** Writes the operations that make the whole contents. */
  abstract writeAll(put: PutOperation): void;
  protected abstract writeChanged(put: PutOperation): void;
  protected abstract forgetChanges(): void;

  /** Writes the operations of what has changed since the last call. */
  takeChanges(put: PutOperation): void {
    this.writeChanged(put);
    this.forgetChanges();
  }

  /** Returns false if a write is to have no effect. Throws if this side may not write. */
  protected admits(value: unknown): boolean {
    return this.#host.admits(this.path, value);
  }

  protected assertCount(count: number): void {
    if (count > this.max) throw new ConfigError(this.path, count, `at most ${this.max} items`);
  }

  protected assertGrowth(bytes: number): void {
    this.#host.budget.assertFits(this.path, bytes);
  }

  /** Notes changes that were made here. */
  protected wrote(growth: number, changes: readonly ItemChange[]): void {
    this.grew(growth);
    this.report(changes);
  }

  report(changes: readonly ItemChange[]): void {
    for (const listener of this.listeners) for (const change of changes) listener(...change);
  }

  protected grew(bytes: number): void {
    this.#bytes += bytes;
    this.#host.budget.bytes += bytes;
  }

  protected bytesOf(value: unknown): number {
    return this.codec.sizeOf(value);
  }

  /** The entity is gone: the contents stay readable, and no longer count. */
  release(host: CollectionHost): void {
    this.#host.budget.bytes -= this.#bytes;
    this.#host = host;
    this.#host.budget.bytes += this.#bytes;
    this.listeners.clear();
  }
}

const codecs = new WeakMap<object, ItemCodec>();

/** Returns the codec of a field's items. Throws {@link ConfigError} for items that cannot be coded. */
function codecOf({ path, field }: Pick<CollectionSite, "path" | "field">): ItemCodec {
  let codec = codecs.get(field);
  if (!codec) codecs.set(field, (codec = itemCodec(path, field.item)));
  return codec;
}
