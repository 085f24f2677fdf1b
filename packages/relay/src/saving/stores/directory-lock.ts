import { randomBytes } from "node:crypto";
import { readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NetError } from "@paceline/protocol";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process-identity.js";

/** Begins the name of each process's file. */
const PREFIX = "lock-";
/** The holder touches its file this often. Only processes of other containers and machines look at it. */
const BEAT_MS = 1000;
/** A holder of another container or machine that does not touch its file for so long has ended. */
const SILENT_MS = 4000;
/** Two that begin at the same moment see each other and both step back. They try again after a random time. */
const ATTEMPTS = 5;
const RETRY_MS = 50;

/**
 * Keeps a second process out of a directory. Each process writes a file of its own and then looks for those
 * of others: if one of them runs, it takes its own file away again. A file that a dead process left is
 * removed. As no two files share a name, no process can ever remove the file of a running one by mistake.
 */
export class DirectoryLock {
  readonly #file: string;
  readonly #beat: NodeJS.Timeout;
  #isLost = false;

  private constructor(file: string) {
    this.#file = file;
    this.#beat = setInterval(() => void this.#touch(), BEAT_MS).unref();
  }

  /** True: somebody has removed the file, so another process may hold the directory by now. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Rejects with `store/locked`, naming the process that holds the directory. */
  static async take(directory: string): Promise<DirectoryLock> {
    const own = await ownIdentity();
    const name = `${PREFIX}${randomBytes(8).toString("hex")}`;
    const file = path.join(directory, name);
    for (let attempt = 1; ; attempt++) {
      // Renamed, so that nobody reads half of it.
      await writeFile(`${file}.new`, JSON.stringify(own), { mode: 0o600 });
      await rename(`${file}.new`, file);
      const lock = new DirectoryLock(file);
      const holder = await otherHolder(directory, name, own).catch(async (error: unknown) => {
        await lock.release();
        throw error;
      });
      if (holder === undefined) return lock;
      await lock.release();
      if (attempt === ATTEMPTS) throw lockedBy(directory, holder, own);
      await sleep(Math.random() * RETRY_MS * attempt);
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#beat);
    await rm(this.#file, { force: true });
  }

  async #touch(): Promise<void> {
    const now = new Date();
    try {
      await utimes(this.#file, now, now);
    } catch (error) {
      if ((error as { readonly code?: string }).code === "ENOENT") this.#isLost = true;
    }
  }
}

/** Returns a process that holds the directory, and removes what dead ones left. */
async function otherHolder(
  directory: string,
  ownName: string,
  own: ProcessIdentity,
): Promise<ProcessIdentity | undefined> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(PREFIX) || name.endsWith(".new") || name === ownName) continue;
    const file = path.join(directory, name);
    const other = await identityIn(file);
    if (other && ((await isRunning(other, own)) ?? (await isTouched(file)))) return other;
    await rm(file, { force: true });
  }
  return undefined;
}

/** Returns true if the file is touched while this process watches it. Their clocks need not agree. */
async function isTouched(file: string): Promise<boolean> {
  const before = await touchedAt(file);
  for (let waitedMs = 0; waitedMs < SILENT_MS; waitedMs += BEAT_MS / 4) {
    await sleep(BEAT_MS / 4);
    const after = await touchedAt(file);
    if (after === undefined) return false;
    if (after !== before) return true;
  }
  return false;
}

async function touchedAt(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return undefined;
  }
}

/** Undefined: the file is gone, or no lock. */
async function identityIn(file: string): Promise<ProcessIdentity | undefined> {
  try {
    const content = JSON.parse(await readFile(file, "utf8")) as Partial<ProcessIdentity> | null;
    const { pid, startedAt, system, pidSpace } = content ?? {};
    if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, startedAt: String(startedAt), system: String(system), pidSpace: String(pidSpace) };
  } catch {
    return undefined;
  }
}

function lockedBy(directory: string, holder: ProcessIdentity, own: ProcessIdentity): NetError {
  const isOwn = holder.pid === own.pid && holder.pidSpace === own.pidSpace && holder.system === own.system;
  const by = isOwn ? "this process has it open already" : `process ${holder.pid} has it open`;
  return new NetError(
    "store/locked",
    `cannot open ${directory}: ${by}: end that process, or choose another directory`,
    { retryable: true },
  );
}
