/** What the thread of {@link sqliteStore} is asked to do. */
export interface SqliteTask {
  readonly number: number;
  readonly kind: "read" | "write" | "remove" | "names" | "close";
  readonly name?: string;
  readonly slot?: string;
  readonly bytes?: Uint8Array;
}

/** Its answer. SQLite's own errors have a number, such as 13 for a full disk. */
export interface SqliteAnswer {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly code: string | undefined; readonly number: number };
}

/**
 * Program of the thread. It is text, so that a bundler finds no file that it would have to copy. SQLite waits
 * for the disk, and would make the server's loop wait with it. The exclusive mode holds the file's lock until
 * the process ends, however it ends.
 */
export const SQLITE_PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const { closeSync, openSync } = require("node:fs");
process.removeAllListeners("warning");
const { DatabaseSync } = require("node:sqlite");
let database;
let statements;
function opened() {
  if (database) return statements;
  closeSync(openSync(workerData.path, "a", 0o600));
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
const tasks = {
  read: ({ name, slot }) => opened().read.get(name, slot)?.bytes,
  write: ({ name, slot, bytes }) => void opened().write.run(name, slot, bytes),
  remove: ({ name }) => void opened().remove.run(name),
  names: () => opened().names.all().map((row) => row.name),
  close: () => {
    database?.close();
    database = undefined;
    parentPort.close();
  },
};
parentPort.on("message", (task) => {
  try {
    parentPort.postMessage({ number: task.number, value: tasks[task.kind](task) });
  } catch (error) {
    const { message, code, errcode = 0 } = error;
    parentPort.postMessage({ number: task.number, error: { message, code, number: errcode } });
  }
});
`;
