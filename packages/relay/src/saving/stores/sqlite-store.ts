import path from "node:path";
import { ConfigError, NetError } from "@paceline/protocol";
import { DiskThread, type DiskError, type DiskTask } from "./disk-thread.js";
import { SlotStore, type CountedStore, type Slot, type SlotMedium, type StoreOptions } from "./slot-store.js";

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

interface SqliteTask extends DiskTask {
  readonly kind: "read" | "write" | "remove" | "names" | "close";
  readonly name?: string;
  readonly slot?: Slot;
}

/**
 * Program of the thread. SQLite has no asynchronous calls. Its exclusive mode holds the file's lock until the
 * process ends, however it ends.
 */
const PROGRAM = `
process.removeAllListeners("warning");
const { DatabaseSync } = require("node:sqlite");
let database;
let statements;
function opened() {
  if (database) return statements;
  fs.closeSync(fs.openSync(workerData.path, "a", 0o600));
  const opening = new DatabaseSync(workerData.path);
  try {
    opening.exec(
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;" +
        "BEGIN EXCLUSIVE;" +
        "CREATE TABLE IF NOT EXISTS paceline_rooms" +
        " (name TEXT NOT NULL, slot TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (name, slot)) WITHOUT ROWID;" +
        "COMMIT;",
    );
    statements = {
      read: opening.prepare("SELECT bytes FROM paceline_rooms WHERE name = ? AND slot = ?"),
      write: opening.prepare("INSERT OR REPLACE INTO paceline_rooms (name, slot, bytes) VALUES (?, ?, ?)"),
      remove: opening.prepare("DELETE FROM paceline_rooms WHERE name = ?"),
      names: opening.prepare("SELECT DISTINCT name FROM paceline_rooms"),
    };
  } catch (error) {
    opening.close();
    throw error;
  }
  database = opening;
  return statements;
}
serve({
  read: ({ name, slot }) => opened().read.get(name, slot)?.bytes,
  write: ({ name, slot, bytes }) => void opened().write.run(name, slot, bytes),
  remove: ({ name }) => void opened().remove.run(name),
  names: () => opened().names.all().map((row) => row.name),
  close: () => {
    database?.close();
    database = undefined;
  },
});
`;

class SqliteMedium implements SlotMedium {
  readonly where: string;
  readonly #thread: DiskThread<SqliteTask>;

  constructor(file: string) {
    this.where = file;
    this.#thread = new DiskThread(PROGRAM, { path: file });
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

  close(): Promise<void> {
    return this.#thread.close({ kind: "close" });
  }

  async #ask(task: SqliteTask): Promise<unknown> {
    try {
      return await this.#thread.ask(task);
    } catch (error) {
      const { message, code, errcode = 0 } = error as DiskError;
      // The lower byte is the kind of error, the upper one its details.
      const kind = errcode & 0xff;
      if (kind !== BUSY) throw Object.assign(new Error(message), { code: systemCodes[kind] ?? code });
      const cure = "end that process, or choose another file";
      throw new NetError("store/locked", `cannot open ${this.where}: another process has it open: ${cure}`, {
        retryable: true,
      });
    }
  }
}
