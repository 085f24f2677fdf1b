import path from "node:path";
import { Worker } from "node:worker_threads";
import { ConfigError, NetError } from "@paceline/protocol";
import { SlotStore, type CountedStore, type Slot, type SlotMedium, type StoreOptions } from "./slot-store.js";
import { SQLITE_PROGRAM, type SqliteAnswer, type SqliteTask } from "./sqlite-worker.js";

/** SQLite's own numbers of errors, and those of the system that mean the same. */
const systemCodes: Readonly<Record<number, string>> = {
  3: "EACCES",
  8: "EROFS",
  10: "EIO",
  13: "ENOSPC",
  14: "EACCES",
};
const BUSY = 5;

/**
 * Keeps rooms in a file of SQLite, by `node:sqlite` in a thread of its own. The directory must exist. The file
 * is locked: `store/locked` while another process has it open. Needs Node 22.13 or newer, and throws
 * `ConfigError` in an older one.
 */
export function sqliteStore(file: string, options?: StoreOptions): CountedStore {
  if (typeof file !== "string" || file === "") throw new ConfigError("file", file, "the path of a file");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  // In Node 22 before 22.13, `node:sqlite` is behind a flag.
  if (major < 22 || (major === 22 && minor < 13)) {
    throw new ConfigError("sqliteStore", process.version, "Node 22.13 or newer, which has node:sqlite");
  }
  return new SlotStore(new SqliteMedium(path.resolve(file)), options);
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class SqliteMedium implements SlotMedium {
  readonly where: string;
  #thread: Worker | undefined;
  readonly #asked = new Map<number, Asked>();
  #number = 0;

  constructor(file: string) {
    this.where = file;
  }

  async read(name: string, slot: Slot): Promise<Uint8Array | undefined> {
    return (await this.#ask({ kind: "read", name, slot })) as Uint8Array | undefined;
  }

  async write(name: string, slot: Slot, bytes: Uint8Array): Promise<void> {
    await this.#ask({ kind: "write", name, slot, bytes });
  }

  async remove(name: string): Promise<void> {
    await this.#ask({ kind: "remove", name });
  }

  async names(): Promise<string[]> {
    return (await this.#ask({ kind: "names" })) as string[];
  }

  async close(): Promise<void> {
    if (this.#thread) await this.#ask({ kind: "close" });
    this.#thread = undefined;
  }

  #ask(task: Omit<SqliteTask, "number">): Promise<unknown> {
    const thread = (this.#thread ??= this.#started());
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      // A process does not end while a save is under way, and does not stay for an idle thread.
      thread.ref();
      // A save is an envelope of its own, which nobody needs afterwards.
      const given = task.bytes ? [task.bytes.buffer as ArrayBuffer] : [];
      thread.postMessage({ number, ...task } satisfies SqliteTask, given);
    });
  }

  #started(): Worker {
    const thread = new Worker(SQLITE_PROGRAM, { eval: true, workerData: { path: this.where }, execArgv: [] });
    thread.on("message", ({ number, value, error }: SqliteAnswer) => {
      const asked = this.#asked.get(number);
      this.#asked.delete(number);
      if (this.#asked.size === 0) thread.unref();
      if (error) asked?.reject(this.#failure(error));
      else asked?.resolve(value);
    });
    const failed = (error: unknown): void => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const asked of this.#asked.values()) asked.reject(error);
      this.#asked.clear();
    };
    thread.on("error", failed);
    thread.on("exit", () => failed(new Error("the thread of SQLite has ended")));
    return thread;
  }

  #failure({ message, code, number }: NonNullable<SqliteAnswer["error"]>): unknown {
    // The lower byte is the kind of error, the upper one its details.
    if ((number & 0xff) === BUSY) {
      const cure = "end that process, or choose another file";
      return new NetError("store/locked", `cannot open ${this.where}: another process has it open: ${cure}`, {
        retryable: true,
      });
    }
    return Object.assign(new Error(message), { code: systemCodes[number & 0xff] ?? code });
  }
}
