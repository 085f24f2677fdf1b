import { NetError, assertRange } from "@paceline/protocol";
import { afterOwnTime, type Scheduler } from "@paceline/transport";
import { harmlessLog, type Log } from "../ops/log.js";
import type { RoomStore } from "./room-store.js";
import { SaveQueue } from "./save-queue.js";
import { assertRoomId } from "./stores/room-id.js";
import { storeFailure } from "./stores/store-failure.js";

/** Surroundings of a {@link GuardedStore}. */
export interface GuardedStoreOptions {
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Time limit of each call, 1 to 600000 ms. Default 10000. */
  readonly timeoutMs?: number;
  /** Counters to raise, such as those of a relay. Default: new ones. */
  readonly counts?: { -readonly [Name in keyof GuardCounts]: GuardCounts[Name] };
}

/** Counters of a guarded store since the start, for metrics. All but `saved` and `replaced` are alarms. */
export interface GuardCounts {
  /** Saves that the store has confirmed. */
  readonly saved: number;
  /** Saves that a newer one of the same room replaced while they waited. */
  readonly replaced: number;
  /** Calls that failed. */
  readonly failed: number;
  /** Calls that did not end in time. */
  readonly timedOut: number;
  /** Answers that were no answers, and saves that the store confirmed and did not have. */
  readonly lied: number;
  /** Calls that kept the loop from running for longer than {@link BLOCKED_MS}. */
  readonly blocked: number;
}

/** Place that a failure names if the store does not name one itself. */
const WHERE = "the store of rooms";
/** The first call of a start. Its caller tells whether a lock ends the start. */
const LIST = "list saved rooms";
const TIMEOUT_MS = [1, 600_000, "ms"] as const;
/** A tick lasts 16 ms or longer. A call that takes more than this of it should work in a thread. */
const BLOCKED_MS = 5;
/** Limit of calls that never end, since each keeps its bytes. Beyond it the store is not called any more. */
const MAX_OVERDUE = 64;

/**
 * Stands between a server and its store, which may be anybody's code. No call throws at once, and none waits
 * longer than the time limit. At most one save of a room is under way and one waits. What goes wrong is counted;
 * it is logged once, and so is the first call that succeeds again.
 */
export class GuardedStore implements RoomStore {
  readonly #store: RoomStore;
  readonly #scheduler: Scheduler;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #queue = new SaveQueue(Infinity, (id, bytes) => this.#save(id, bytes));
  readonly #counts: NonNullable<GuardedStoreOptions["counts"]>;
  /** Rooms whose first save was read back. */
  readonly #proven = new Set<string>();
  #overdue = 0;
  #isFailing = false;

  constructor(
    store: RoomStore,
    { scheduler, log, timeoutMs = 10_000, counts = newCounts() }: GuardedStoreOptions,
  ) {
    assertRange("timeoutMs", timeoutMs, TIMEOUT_MS);
    this.#store = store;
    this.#scheduler = scheduler;
    this.#log = harmlessLog(log);
    this.#timeoutMs = timeoutMs;
    this.#counts = counts;
  }

  get counts(): GuardCounts {
    return { ...this.#counts };
  }

  /** True from a failed call until the next one that succeeds. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Rejects with `NetError`. The first save of each room is read back, to see whether the store has it. */
  async save(id: string, bytes: Uint8Array): Promise<void> {
    assertRoomId(id);
    // Copied, since it may wait. A Buffer's `slice` would not copy.
    const saved = this.#queue.save(id, new Uint8Array(bytes));
    this.#counts.replaced = this.#queue.replaced;
    return saved;
  }

  async load(id: string): Promise<Uint8Array[]> {
    assertRoomId(id);
    return this.#queue.run(id, async () => {
      const kept = await this.#load(id);
      this.#succeeded();
      return kept;
    });
  }

  async remove(id: string): Promise<void> {
    assertRoomId(id);
    return this.#queue.run(id, async () => {
      this.#proven.delete(id);
      await this.#call("remove a saved room", () => this.#store.remove(id));
      this.#succeeded();
    });
  }

  async list(): Promise<string[]> {
    const ids: unknown = await this.#call(LIST, () => this.#store.list());
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
      throw this.#lie(LIST, "list did not return an array of texts");
    }
    this.#succeeded();
    return ids;
  }

  /** Waits for the calls that are under way, each at most for the time limit. */
  async close(): Promise<void> {
    await this.#queue.idle();
    await this.#call("close", () => this.#store.close?.() ?? Promise.resolve());
  }

  async #save(id: string, bytes: Uint8Array): Promise<void> {
    await this.#call("save a room", () => this.#store.save(id, bytes));
    if (!this.#proven.has(id)) {
      const [newest] = await this.#load(id);
      if (!newest || Buffer.compare(newest, bytes) !== 0) {
        throw this.#lie("save a room", "it confirmed a save that it does not have");
      }
      this.#proven.add(id);
    }
    this.#counts.saved += 1;
    this.#succeeded();
  }

  async #load(id: string): Promise<Uint8Array[]> {
    const kept: unknown = await this.#call("read a saved room", () => this.#store.load(id));
    if (Array.isArray(kept) && kept.every((bytes) => bytes instanceof Uint8Array)) return kept.slice(0, 2);
    throw this.#lie("read a saved room", "load did not return an array of Uint8Array");
  }

  #call<Value>(task: string, fn: () => Promise<Value>): Promise<Value> {
    if (this.#overdue >= MAX_OVERDUE) {
      const error = new NetError("store/timeout", `cannot ${task}: ${MAX_OVERDUE} calls of the store hang`);
      return Promise.reject(this.#failed("timedOut", task, error));
    }
    return new Promise((resolve, reject) => {
      let isOverdue = false;
      const cancel = afterOwnTime(this.#scheduler, this.#timeoutMs, () => {
        isOverdue = true;
        this.#overdue += 1;
        const message = `cannot ${task}: the store did not answer within ${this.#timeoutMs} ms`;
        reject(this.#failed("timedOut", task, new NetError("store/timeout", message, { retryable: true })));
      });
      const ended = (settle: () => void): void => {
        cancel();
        if (isOverdue) this.#overdue -= 1;
        else settle();
      };
      this.#started(fn).then(
        (value) => ended(() => resolve(value)),
        (error: unknown) =>
          ended(() => reject(this.#failed("failed", task, storeFailure(task, WHERE, error)))),
      );
    });
  }

  /** Starts a call, and measures how long it keeps the loop. */
  #started<Value>(fn: () => Promise<Value>): Promise<Value> {
    const startedMs = this.#scheduler.nowMs();
    try {
      // A store without types may return no promise.
      return Promise.resolve(fn());
    } catch (error) {
      return Promise.reject(error);
    } finally {
      if (this.#scheduler.nowMs() - startedMs > BLOCKED_MS) this.#counts.blocked += 1;
    }
  }

  #lie(task: string, what: string): Error {
    return this.#failed("lied", task, new NetError("store/failed", `cannot ${task} in ${WHERE}: ${what}`));
  }

  #failed(kind: "failed" | "timedOut" | "lied", task: string, error: Error): Error {
    this.#counts[kind] += 1;
    if (task === LIST && isLocked(error)) return error;
    if (!this.#isFailing) {
      this.#isFailing = true;
      this.#log.error(`cannot ${task}: rooms go on, and are not saved until this ends`, {
        error: error.message,
      });
    }
    return error;
  }

  #succeeded(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#log.info("the store of rooms answers again");
  }
}

function newCounts(): NonNullable<GuardedStoreOptions["counts"]> {
  return { saved: 0, replaced: 0, failed: 0, timedOut: 0, lied: 0, blocked: 0 };
}

/** Returns true if another process keeps its rooms in the store. */
export function isLocked(error: unknown): boolean {
  return error instanceof NetError && error.code === "store/locked";
}
