import {
  ByteReader,
  listCode,
  type Collection,
  type CollectionReader,
  type DropReason,
  type EntityDefinition,
} from "@paceline/protocol";

export interface RemoteListsOptions {
  readonly maxBytes: number;
  readonly maxEntities: number;
  /** Returns the definition of a stream or kind; undefined while the game does not use it. */
  definitionOf(stream: number): EntityDefinition | undefined;
  readonly onItems?: (items: number) => void;
  /** Asks the sender for the contents of a stream or kind. Returns false if there is no room for that now. */
  ask(stream: number): boolean;
}

const newReader = (bytes: Uint8Array): ByteReader => new ByteReader(bytes);

/** The lists and maps of another side's entities. It reads them by code that only games with lists have. */
export class RemoteLists {
  readonly #options: RemoteListsOptions;
  readonly #unread = new Set<number>();
  #reader: CollectionReader | undefined;

  constructor(options: RemoteListsOptions) {
    this.#options = options;
  }

  /** Returns the lists and maps of an entity that appears; undefined if its kind has none. */
  attach(id: number, definition: EntityDefinition): readonly Collection[] | undefined {
    return definition.collections.length > 0 ? this.#read()?.attach(id, definition) : undefined;
  }

  detach(id: number): void {
    this.#reader?.detach(id);
  }

  /** Reads a message. Returns the reason if it is dropped. */
  receive(stream: number, changes: Uint8Array): DropReason | undefined {
    const reader = this.#read();
    if (reader) return reader.receive(stream, changes);
    this.#unread.add(stream);
    return undefined;
  }

  /** Asks for contents that were dropped before the game used their kind. */
  review(): void {
    const options = this.#options;
    for (const stream of this.#unread)
      if (options.definitionOf(stream)?.collections.length && options.ask(stream))
        this.#unread.delete(stream);
  }

  #read(): CollectionReader | undefined {
    const Reader = listCode.inUse?.CollectionReader;
    return (this.#reader ??= Reader && new Reader({ ...this.#options, unread: this.#unread, newReader }));
  }
}
