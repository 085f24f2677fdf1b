import type { ByteWriter } from "../bytes/byte-writer.js";
import type { Collection, PutOperation } from "./collection.js";

/** The lists and maps of an entity, at the side that sends them. */
export interface HeldCollections {
  readonly id: number;
  /** Number of its stream, or of its kind. */
  readonly stream: number;
  readonly collections: readonly Collection[];
  /** True if they are for the entity's owner alone. Then an entity is held twice: with those for all, and with these. */
  readonly isForOwner?: boolean;
}

/** Blocks of changes of a stream, as a reliable message carries them. */
export interface CollectionMessage {
  readonly stream: number;
  readonly changes: Uint8Array;
}

/** The receivers, as the sender uses them. */
export interface Audience<To> {
  /** Returns true if a receiver gets the lists and maps of an entity. Default: each gets all. */
  readonly sees?: (to: To, held: HeldCollections) => boolean;
  /** Makes a writer. It is a parameter, so that a page's first chunk, which has this code, needs no code of bytes. */
  newWriter(): ByteWriter;
  /** Returns true if a receiver takes reliable messages of so many bytes. */
  hasRoom(to: To, bytes: number): boolean;
  /** Sends reliable messages to receivers with room. */
  send(messages: readonly CollectionMessage[], to: readonly To[]): void;
}

interface Entry extends HeldCollections {
  /** Receivers that have asked for the contents again: each may once. */
  readonly repeated: Set<unknown>;
  /** Receivers that have got contents at some time: an entity that never left their view keeps them beyond an end. */
  readonly heard: Set<unknown>;
  /** Receivers that got contents, and have not been told of an end since. */
  readonly present: Set<unknown>;
  /** Receivers that hold the present contents, but for the changes of this tick. */
  readonly told: Set<unknown>;
}

/** Limit of a message, bytes. */
const MAX_MESSAGE_BYTES = 12_000;
/** Bytes of a message before its blocks, and those that a queue adds. */
const HEAD_BYTES = 4;
/** Limit of a block of changes, bytes. A longer one is cut, so that each fits a reliable message. */
const MAX_BLOCK_BYTES = 8192;
const END = 0;
const NO_BYTES = new Uint8Array(0);
/** A block with the operation that empties a list or a map. */
const CLEARED = new Uint8Array([0]);
const NOBODY: readonly never[] = [];

/**
 * Sends the lists and maps of entities as reliable messages: the changes of a tick together, and the whole contents to
 * those who do not have them. A receiver whose queue is full gets the whole contents later instead of changes.
 */
export class CollectionSender<To> {
  readonly #audience: Audience<To>;
  readonly #entries = new Map<number, Entry>();
  readonly #receivers = new Set<To>();
  /** Ends that receivers have not been told yet, by receiver: ids by stream. */
  readonly #ends = new Map<To, Map<number, number[]>>();
  /** Receivers that do not own an entity any more. */
  readonly #cleared: [To, HeldCollections][] = [];
  #body: ByteWriter | undefined;
  #operation: ByteWriter | undefined;
  /** True if somebody may lack contents. */
  #isUnsettled = false;

  constructor(audience: Audience<To>) {
    this.#audience = audience;
  }

  /** Adds an entity with its lists and maps. */
  add(held: HeldCollections): void {
    this.#entries.set(keyOf(held), {
      ...held,
      ...{ heard: new Set(), present: new Set(), told: new Set(), repeated: new Set() },
    });
    this.#isUnsettled = true;
  }

  holds(held: Pick<HeldCollections, "id" | "isForOwner">): boolean {
    return this.#entries.has(keyOf(held));
  }

  /** Removes an entity. Its receivers forget the contents. */
  remove(id: number): void {
    for (const isForOwner of [false, true]) {
      const key = keyOf({ id, isForOwner });
      const entry = this.#entries.get(key);
      this.#entries.delete(key);
      for (const to of entry?.present ?? NOBODY) this.#end(to as To, entry!);
    }
  }

  /**
   * Adds a receiver, or one that has come back: it has nothing, or what it had when it went. It gets all contents that it
   * sees, and hears of the end of the others that it has ever got.
   */
  join(to: To): void {
    this.#receivers.add(to);
    for (const { told, repeated } of this.#entries.values()) {
      told.delete(to);
      repeated.delete(to);
    }
    this.#isUnsettled = true;
  }

  leave(to: To): void {
    this.#receivers.delete(to);
    this.#ends.delete(to);
    for (const { heard, present, told, repeated } of this.#entries.values())
      for (const each of [heard, present, told, repeated]) each.delete(to);
  }

  has(to: To): boolean {
    return this.#receivers.has(to);
  }

  /** The receiver asks for all contents of a stream or kind again, which it may once. */
  repeat(to: To, stream: number): void {
    for (const { stream: own, repeated, told } of this.#entries.values()) {
      if (own !== stream || repeated.has(to)) continue;
      repeated.add(to);
      told.delete(to);
    }
    this.#isUnsettled = true;
  }

  /** Looks again at who sees which entity: see {@link Audience.sees}. */
  review(): void {
    const { sees } = this.#audience;
    if (!sees) return;
    for (const entry of this.#entries.values()) this.#reviewEntry(entry, sees);
    this.#isUnsettled = true;
  }

  #reviewEntry(entry: Entry, sees: NonNullable<Audience<To>["sees"]>): void {
    for (const to of entry.present as Set<To>) {
      if (sees(to, entry)) continue;
      entry.present.delete(to);
      entry.told.delete(to);
      if (entry.isForOwner) this.#cleared.push([to, entry]);
      else this.#end(to, entry);
    }
  }

  /** Sends everything that waits, to receivers with room. */
  flush(): void {
    const changed = [...this.#entries.values()].filter(isChanged);
    const { sees } = this.#audience;
    if (sees) for (const entry of changed) this.#reviewEntry(entry, sees);
    this.#clear();
    for (const [to, ids] of this.#ends)
      if (this.#send(this.#endsOf(ids), [to]).length > 0) this.#ends.delete(to);
    if (changed.length > 0) this.#flushChanges(changed);
    if (this.#isUnsettled) this.#settle();
  }

  #end(to: To, { stream, id }: HeldCollections): void {
    if (!this.#receivers.has(to)) return;
    let ends = this.#ends.get(to);
    if (!ends) this.#ends.set(to, (ends = new Map()));
    const ids = ends.get(stream);
    if (ids) ids.push(id);
    else ends.set(stream, [id]);
  }

  /** Empties what is for owners at those who own it no more. The entity goes on for them. */
  #clear(): void {
    for (const cleared of this.#cleared.splice(0)) {
      const [to, { stream, id, collections }] = cleared;
      const blocks = collections.map(({ tag }) => ({ stream, id, tag, bytes: CLEARED }));
      const isHere = this.#receivers.has(to) && this.#entries.has(keyOf({ id, isForOwner: true }));
      if (isHere && this.#send(this.#messagesOf(blocks), [to]).length === 0) this.#cleared.push(cleared);
    }
  }

  #flushChanges(changed: readonly Entry[]): void {
    const { size } = this.#receivers;
    const ofAll: Entry[] = [];
    const alone: Entry[] = [];
    for (const entry of changed) (entry.told.size === size ? ofAll : alone).push(entry);
    const blocks = new Map(
      changed.map((entry) => [entry, this.#blocksOf(entry, (each, put) => each.takeChanges(put))]),
    );
    this.#tell(ofAll, blocks, [...this.#receivers]);
    if (alone.length === 0) return;
    for (const to of this.#receivers)
      this.#tell(
        alone.filter(({ told }) => told.has(to)),
        blocks,
        [to],
      );
  }

  /** Sends changes of entities to receivers that hold what was before them. */
  #tell(entries: readonly Entry[], blocks: ReadonlyMap<Entry, readonly Block[]>, to: readonly To[]): void {
    if (to.length === 0 || entries.length === 0) return;
    const got = this.#send(this.#messagesOf(entries.flatMap((entry) => blocks.get(entry)!)), to);
    if (got.length === to.length) return;
    this.#isUnsettled = true;
    for (const each of to) if (!got.includes(each)) for (const { told } of entries) told.delete(each);
  }

  /** Sends the whole contents to those who lack them. */
  #settle(): void {
    const { sees } = this.#audience;
    let isSettled = true;
    for (const entry of this.#entries.values()) {
      if (entry.told.size === this.#receivers.size) continue;
      const lacking: To[] = [];
      for (const to of this.#receivers)
        if (!entry.told.has(to) && sees?.(to, entry) !== false) lacking.push(to);
      if (lacking.length === 0) continue;
      // Nobody has to hear of what is empty from the beginning.
      const isEmpty = entry.collections.every(({ bytes }) => bytes === 0);
      const silent = isEmpty ? lacking.filter((to) => !entry.heard.has(to)) : NOBODY;
      const others = isEmpty ? lacking.filter((to) => entry.heard.has(to)) : lacking;
      const got =
        others.length > 0
          ? this.#send(this.#messagesOf(this.#blocksOf(entry, (each, put) => each.writeAll(put))), others)
          : NOBODY;
      for (const to of [...silent, ...got]) {
        entry.told.add(to);
        entry.heard.add(to);
        entry.present.add(to);
      }
      if (got.length < others.length) isSettled = false;
    }
    this.#isUnsettled = !isSettled;
  }

  /** Sends messages to the receivers with room, and returns these. */
  #send(messages: readonly CollectionMessage[], to: readonly To[]): readonly To[] {
    if (messages.length === 0) return to;
    const bytes = messages.reduce((sum, { changes }) => sum + changes.length + HEAD_BYTES, 0);
    const free = to.filter((each) => this.#audience.hasRoom(each, bytes));
    if (free.length > 0) this.#audience.send(messages, free);
    return free;
  }

  /** Returns the blocks that `write` makes of an entity's lists and maps. */
  #blocksOf(
    { stream, id, collections }: HeldCollections,
    write: (collection: Collection, put: PutOperation) => void,
  ): Block[] {
    const blocks: Block[] = [];
    const body = (this.#body ??= this.#audience.newWriter());
    const operation = (this.#operation ??= this.#audience.newWriter());
    for (const collection of collections) {
      const { tag } = collection;
      const end = (): void => {
        if (body.length > 0) blocks.push({ stream, id, tag, bytes: body.take() });
        body.reset();
      };
      body.reset();
      write(collection, (put) => {
        operation.reset();
        put(operation);
        if (body.length + operation.length > MAX_BLOCK_BYTES) end();
        body.bytes(operation.view());
      });
      end();
    }
    return blocks;
  }

  /** Returns messages of blocks, as few as possible. No message has two blocks of one list. */
  #messagesOf(blocks: readonly Block[]): CollectionMessage[] {
    const messages: CollectionMessage[] = [];
    const writer = (this.#body ??= this.#audience.newWriter()).reset();
    let last: Block | undefined;
    const end = (): void => {
      if (last) messages.push({ stream: last.stream, changes: writer.take() });
      writer.reset();
    };
    for (const block of blocks) {
      const isCut = last?.id === block.id && last.tag === block.tag;
      const isFull = writer.length + block.bytes.length > MAX_MESSAGE_BYTES;
      if (last && (isCut || isFull || last.stream !== block.stream)) end();
      writer.u16(block.id).u16(block.tag);
      if (block.tag !== END) writer.varint(block.bytes.length).bytes(block.bytes);
      last = block;
    }
    end();
    return messages;
  }

  #endsOf(ids: ReadonlyMap<number, readonly number[]>): CollectionMessage[] {
    const blocks = Array.from(ids, ([stream, each]) =>
      each.map((id) => ({ stream, id, tag: END, bytes: NO_BYTES })),
    );
    return this.#messagesOf(blocks.flat());
  }
}

function keyOf({ id, isForOwner }: Pick<HeldCollections, "id" | "isForOwner">): number {
  return isForOwner ? id + 0x10000 : id;
}

function isChanged({ collections }: HeldCollections): boolean {
  return collections.some(({ isDirty }) => isDirty);
}

interface Block {
  readonly stream: number;
  readonly id: number;
  readonly tag: number;
  readonly bytes: Uint8Array;
}
