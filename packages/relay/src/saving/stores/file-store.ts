import { mkdir, open, readFile, readdir, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { ConfigError, NetError } from "@paceline/protocol";
import { DirectoryLock } from "./directory-lock.js";
import { DiskThread, type DiskTask } from "./disk-thread.js";
import {
  SlotStore,
  slots,
  type CountedStore,
  type Slot,
  type SlotMedium,
  type StoreOptions,
} from "./slot-store.js";

/** Ends the name of a save. */
const ENDING = ".room";
/** Ends the name of a save that is being written. */
const UNFINISHED = ".new";

/**
 * Keeps rooms as files of a directory, which it makes if there is none. Only the server's user may read them.
 * A save is written beside the last two, flushed, and renamed over the older one, so that a crash or a full
 * disk leaves a whole save of each room. The directory is locked: `store/locked` while another process has it
 * open. Rejects with `NetError` (`store/full`, `store/denied` and others) naming directory, cause and cure.
 */
export function fileStore(directory: string, options?: StoreOptions): CountedStore {
  if (typeof directory !== "string" || directory === "") {
    throw new ConfigError("directory", directory, "the path of a directory");
  }
  return new SlotStore(new FileMedium(path.resolve(directory)), options);
}

interface FileTask extends DiskTask {
  readonly kind: "write" | "close";
  readonly file?: string;
}

/** Program of the thread. Windows flushes names with their files, and cannot open a directory. */
const PROGRAM = `
const directory = process.platform === "win32" ? undefined : fs.openSync(workerData.directory);
function writeFlushed(file, bytes) {
  const handle = fs.openSync(file, "w", 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(handle, bytes, at);
    fs.fdatasyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
serve({
  write: ({ file, bytes }) => {
    const unfinished = file + "${UNFINISHED}";
    try {
      writeFlushed(unfinished, bytes);
      fs.renameSync(unfinished, file);
    } catch (error) {
      // A full disk gets back what was written of it.
      fs.rmSync(unfinished, { force: true });
      throw error;
    }
    if (directory !== undefined) fs.fsyncSync(directory);
  },
  close: () => directory !== undefined && fs.closeSync(directory),
});
`;

class FileMedium implements SlotMedium {
  readonly where: string;
  readonly #thread: DiskThread<FileTask>;
  #opened: Promise<OpenDirectory> | undefined;

  constructor(directory: string) {
    this.where = directory;
    this.#thread = new DiskThread(PROGRAM, { directory });
  }

  async read(name: string, slot: Slot): Promise<Uint8Array | undefined> {
    await this.#open();
    try {
      return await readFile(this.#pathOf(name, slot));
    } catch (error) {
      if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async write(name: string, slot: Slot, bytes: Uint8Array): Promise<void> {
    const { lock } = await this.#open();
    if (lock.isLost) {
      throw new NetError(
        "store/locked",
        `cannot save a room in ${this.where}: the lock file was removed: start the server again`,
      );
    }
    await this.#thread.ask({ kind: "write", file: this.#pathOf(name, slot), bytes });
  }

  async remove(name: string): Promise<void> {
    const { handle } = await this.#open();
    for (const slot of slots) await rm(this.#pathOf(name, slot), { force: true });
    await handle?.sync();
  }

  async names(): Promise<string[]> {
    await this.#open();
    const ending = new RegExp(`\\.[${slots.join("")}]\\${ENDING}$`);
    const files = (await readdir(this.where)).filter((file) => ending.test(file));
    return [...new Set(files.map((file) => file.replace(ending, "")))];
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (!opened) return;
    const { lock, handle } = await opened;
    await this.#thread.close({ kind: "close" });
    await handle?.close();
    await lock.release();
  }

  #pathOf(name: string, slot: Slot): string {
    return path.join(this.where, `${name}.${slot}${ENDING}`);
  }

  /** Opens the directory at the first use. A failure is forgotten, so that the next use tries again. */
  async #open(): Promise<OpenDirectory> {
    this.#opened ??= openDirectory(this.where);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

interface OpenDirectory {
  readonly lock: DirectoryLock;
  /** Flushes the names of files. Undefined where the system flushes them with the files. */
  readonly handle: FileHandle | undefined;
}

async function openDirectory(directory: string): Promise<OpenDirectory> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await DirectoryLock.take(directory);
  try {
    for (const file of await readdir(directory)) {
      // A process that was killed has left it unfinished.
      if (file.endsWith(ENDING + UNFINISHED)) await rm(path.join(directory, file), { force: true });
    }
    const handle = process.platform === "win32" ? undefined : await open(directory);
    return { lock, handle };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
