import type { ByteReader } from "../bytes/byte-reader.js";
import type { DropReason } from "../drop-reasons.js";
import type { EntityDefinition } from "../schema/entity-definition.js";
import { CollectionBudget, type Collection, type ReadChanges } from "./collection.js";
import { hostOf, newCollections } from "./collections.js";

export interface CollectionReaderOptions {
  /** Limit of bytes of all contents. */
  readonly maxBytes: number;
  /** Makes a reader. It is a parameter, so that a page's first chunk, which has this code, needs no code of bytes. */
  newReader(bytes: Uint8Array): ByteReader;
  readonly maxEntities: number;
  /** Returns the definition of a stream or kind; undefined while the game does not use it. */
  definitionOf(stream: number): EntityDefinition | undefined;
  /** Called with numbers of changed items as they are read. */
  readonly onItems?: ((items: number) => void) | undefined;
  /** Streams or kinds whose contents were dropped, because the game did not use them yet. */
  readonly unread: Set<number>;
}

interface Entry {
  readonly definition: EntityDefinition;
  collections: readonly Collection[];
  /** True while an entity has the lists and maps. */
  isAttached: boolean;
  /** True from the first contents until the sender ends them. */
  isTold: boolean;
}

const END = 0;

/**
 * The lists and maps of the entities of one sender. Their messages arrive in order, but apart from states: contents
 * wait here for their entity, and an entity whose end has arrived keeps its last ones.
 */
export class CollectionReader {
  readonly #options: CollectionReaderOptions;
  readonly #entries = new Map<number, Entry>();
  readonly #budget: CollectionBudget;

  constructor(options: CollectionReaderOptions) {
    this.#options = options;
    this.#budget = new CollectionBudget(options.maxBytes);
  }

  /** Returns the lists and maps of an entity that appears, with what has arrived for it. */
  attach(id: number, definition: EntityDefinition): readonly Collection[] {
    const entry = this.#entryOf(id, definition) ?? this.#add(id, definition);
    entry.isAttached = true;
    return entry.collections;
  }

  /** The entity has gone. What has arrived since for a later one with its id waits for that. */
  detach(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry?.isAttached) return;
    entry.isAttached = false;
    const own = entry.collections;
    if (entry.isTold) entry.collections = own.map((each) => each.copy(hostOf(this.#budget)));
    else this.#entries.delete(id);
    const forgotten = hostOf(new CollectionBudget(Infinity));
    for (const each of own) each.release(forgotten);
  }

  /**
   * Reads a message. Returns the reason if it is dropped: all of it, or nothing. Of a stream that the game does not use
   * yet it drops all without a reason, and notes that.
   */
  receive(stream: number, changes: Uint8Array): DropReason | undefined {
    const definition = this.#options.definitionOf(stream);
    if (!definition) {
      this.#options.unread.add(stream);
      return undefined;
    }
    const makers: (() => void)[] = [];
    const reason = this.#read(definition, this.#options.newReader(changes), makers);
    if (!reason) for (const make of makers) make();
    return reason;
  }

  /** Reads blocks, and adds what makes their changes. */
  #read(definition: EntityDefinition, reader: ByteReader, makers: (() => void)[]): DropReason | undefined {
    const seen = new Set<number>();
    let growth = 0;
    while (reader.ok && reader.remaining > 0) {
      const id = reader.u16();
      const tag = reader.u16();
      if (tag === END) {
        makers.push(() => this.#end(id));
        continue;
      }
      const bytes = reader.bytes(reader.varint());
      const index = definition.collections.findIndex((each) => each.tag === tag);
      // Another build of the game has it.
      if (!reader.ok || index < 0) continue;
      const key = id * 0x10000 + tag;
      if (seen.has(key)) return "bad-message";
      seen.add(key);
      const entry = this.#entryOf(id, definition) ?? this.#addIfRoom(id, definition);
      if (!entry) return "queue-full";
      const collection = entry.collections[index]!;
      const read = collection.read(this.#options.newReader(bytes));
      if (!read) return "bad-message";
      this.#options.onItems?.(read.count);
      growth += read.growth;
      makers.push(() => this.#make(entry, collection, read));
    }
    if (!reader.ok) return "length";
    return growth > 0 && !this.#budget.fits(growth) ? "queue-full" : undefined;
  }

  #make(entry: Entry, collection: Collection, read: ReadChanges): void {
    entry.isTold = true;
    collection.report(read.make());
  }

  #end(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.isTold = false;
    if (!entry.isAttached) this.#drop(id, entry);
  }

  #entryOf(id: number, definition: EntityDefinition): Entry | undefined {
    const entry = this.#entries.get(id);
    if (!entry || entry.definition === definition) return entry;
    // A later entity of another kind has the id.
    this.#drop(id, entry);
    return undefined;
  }

  #drop(id: number, { collections }: Entry): void {
    this.#entries.delete(id);
    const forgotten = hostOf(new CollectionBudget(Infinity));
    for (const each of collections) each.release(forgotten);
  }

  #addIfRoom(id: number, definition: EntityDefinition): Entry | undefined {
    return this.#entries.size < this.#options.maxEntities ? this.#add(id, definition) : undefined;
  }

  #add(id: number, definition: EntityDefinition): Entry {
    const collections = newCollections(definition, hostOf(this.#budget));
    const entry = { definition, collections, isAttached: false, isTold: false };
    this.#entries.set(id, entry);
    return entry;
  }
}
