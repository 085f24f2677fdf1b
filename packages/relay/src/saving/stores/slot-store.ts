import { ConfigError } from "@paceline/protocol";
import { consoleLog, harmlessLog, type Log } from "../../ops/log.js";
import type { RoomStore } from "../room-store.js";
import { newEnvelope, openEnvelope, sealEnvelope, type OpenedSave } from "../save-envelope.js";
import { SaveQueue } from "../save-queue.js";
import { idOfName, nameOfId } from "./room-id.js";
import { storeFailure } from "./store-failure.js";

/** The two places of a room. Each save replaces the older of the two, so a whole one is always there. */
export const slots = ["a", "b"] as const;
export type Slot = (typeof slots)[number];

/** Where a store keeps bytes: by the name of a room and the slot. */
export interface SlotMedium {
  /** The place in the words of an operator, such as the path of a directory. */
  readonly where: string;
  read(name: string, slot: Slot): Promise<Uint8Array | undefined>;
  /** Replaces the slot as a whole, or leaves it as it is. Resolves once it would survive a crash. */
  write(name: string, slot: Slot, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
  /** The names of all rooms. */
  names(): Promise<string[]>;
  close(): Promise<void>;
}

/** Options of the stores that outlive the process. */
export interface StoreOptions {
  /** Is told of each damaged save, once. Default: the console. */
  readonly log?: Log;
}

/** A store with counters. */
export interface CountedStore extends RoomStore {
  readonly counts: StoreCounts;
}

/** Counters of a store since its start. */
export interface StoreCounts {
  /** Saves that were written. */
  readonly written: number;
  /** Saves that a newer one of the same room replaced while they waited. */
  readonly replaced: number;
  /** Saves that could not be written. */
  readonly failed: number;
  /** Saves that could not be read: cut off, changed, or of another version. */
  readonly damaged: number;
}

/** Largest content of a save. Rooms are saved at most every second, and are much smaller. */
const MAX_SAVE_BYTES = 64 * 1024 * 1024;
/** Saves that are written at the same time: while one waits for the disk, the next is on its way. */
const WRITES_AT_ONCE = 2;

/** The newest save of a room. */
interface Newest {
  readonly slot: Slot | undefined;
  readonly sequence: number;
}

/** Keeps the last two saves of each room, each in an envelope that shows damage. */
export class SlotStore implements CountedStore {
  readonly #medium: SlotMedium;
  readonly #log: Log;
  readonly #queue = new SaveQueue(WRITES_AT_ONCE, (id, envelope) => this.#write(id, envelope));
  /** The newest saves of rooms that were read or written since the start. */
  readonly #newest = new Map<string, Newest>();
  readonly #told = new Set<string>();
  readonly #counts = { written: 0, failed: 0, damaged: 0 };

  constructor(medium: SlotMedium, { log = consoleLog }: StoreOptions = {}) {
    this.#medium = medium;
    this.#log = harmlessLog(log);
  }

  get counts(): StoreCounts {
    return { ...this.#counts, replaced: this.#queue.replaced };
  }

  async save(id: string, bytes: Uint8Array): Promise<void> {
    nameOfId(id);
    if (!(bytes instanceof Uint8Array)) throw new ConfigError("bytes", bytes, "a Uint8Array");
    if (bytes.length > MAX_SAVE_BYTES) {
      throw new ConfigError("bytes", bytes.length, `at most ${MAX_SAVE_BYTES} bytes`);
    }
    return this.#queue.save(id, newEnvelope(id, bytes));
  }

  async load(id: string): Promise<Uint8Array[]> {
    const name = nameOfId(id);
    return this.#queue.run(id, async () => {
      const kept = await this.#doing("read a saved room", () => this.#read(id, name));
      // A Buffer's `slice` would not copy.
      return kept.map(({ bytes }) => new Uint8Array(bytes));
    });
  }

  async remove(id: string): Promise<void> {
    const name = nameOfId(id);
    return this.#queue.run(id, async () => {
      this.#newest.delete(id);
      await this.#doing("remove a saved room", () => this.#medium.remove(name));
    });
  }

  async list(): Promise<string[]> {
    const names = await this.#doing("list saved rooms", () => this.#medium.names());
    const ids = await Promise.all(names.map(async (name) => idOfName(name) ?? this.#idInside(name)));
    return ids.filter((id) => id !== undefined);
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    await this.#medium.close();
  }

  async #write(id: string, envelope: Uint8Array): Promise<void> {
    const name = nameOfId(id);
    try {
      await this.#doing("save a room", async () => {
        if (!this.#newest.has(id)) await this.#read(id, name);
        const { slot: last, sequence: before } = this.#newest.get(id)!;
        const slot = last === "a" ? "b" : "a";
        const sequence = before + 1;
        await sealEnvelope(envelope, { sequence, savedAtMs: Math.max(0, Math.trunc(Date.now())) });
        await this.#medium.write(name, slot, envelope);
        this.#newest.set(id, { slot, sequence });
      });
      this.#counts.written += 1;
    } catch (error) {
      // Nobody knows what the slot holds now.
      this.#newest.delete(id);
      this.#counts.failed += 1;
      throw error;
    }
  }

  /** Returns the whole saves of a room, newest first, and remembers which slot is the newer. */
  async #read(id: string, name: string): Promise<OpenedSave[]> {
    const kept: { readonly slot: Slot; readonly save: OpenedSave }[] = [];
    for (const slot of slots) {
      const bytes = await this.#medium.read(name, slot);
      if (bytes === undefined) continue;
      const save = openEnvelope(bytes);
      if ("fault" in save) this.#damaged(id, slot, save.fault);
      else if (save.id !== id) this.#damaged(id, slot, `it is of room "${save.id}"`);
      else kept.push({ slot, save });
    }
    kept.sort((one, other) => other.save.sequence - one.save.sequence);
    const [newest] = kept;
    this.#newest.set(id, { slot: newest?.slot, sequence: newest?.save.sequence ?? 0 });
    return kept.map(({ save }) => save);
  }

  /** Returns the id of a room whose name is a hash. */
  async #idInside(name: string): Promise<string | undefined> {
    for (const slot of slots) {
      const bytes = await this.#doing("list saved rooms", () => this.#medium.read(name, slot));
      const save = bytes && openEnvelope(bytes);
      if (save && !("fault" in save) && nameOfId(save.id) === name) return save.id;
    }
    return undefined;
  }

  #damaged(id: string, slot: Slot, fault: string): void {
    this.#counts.damaged += 1;
    const key = `${slot}${id}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#log.error("a saved room cannot be used, and the one before is taken if there is one", {
      store: this.#medium.where,
      roomId: id,
      slot,
      fault,
    });
  }

  async #doing<Value>(task: string, fn: () => Promise<Value>): Promise<Value> {
    try {
      return await fn();
    } catch (error) {
      throw storeFailure(task, this.#medium.where, error);
    }
  }
}
