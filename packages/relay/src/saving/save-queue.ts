/** A save that has not begun. */
interface WaitingSave {
  bytes: Uint8Array;
  readonly done: Promise<void>;
}

/** The tasks of one room, each of which begins when the one before has ended. */
interface RoomTasks {
  last: Promise<unknown>;
  /** The save that a newer one replaces: the last task, if it has not begun. */
  waiting: WaitingSave | undefined;
}

/**
 * Runs the saves of each room one after another. While one runs, at most one waits: a newer one takes its
 * place, and ends with it. So a slow disk builds up no queue.
 */
export class SaveQueue {
  /** Number of saves that a newer one has replaced before they began. */
  replaced = 0;
  readonly #rooms = new Map<string, RoomTasks>();
  readonly #write: (id: string, bytes: Uint8Array) => Promise<void>;
  readonly #atOnce: number;
  #running = 0;
  readonly #ready: (() => void)[] = [];

  /** @param atOnce limit of tasks that run at the same time, over all rooms */
  constructor(atOnce: number, write: (id: string, bytes: Uint8Array) => Promise<void>) {
    this.#atOnce = atOnce;
    this.#write = write;
  }

  /** Number of rooms with a task that has not ended. */
  get busyRooms(): number {
    return this.#rooms.size;
  }

  /** Resolves when these bytes, or newer ones, are written. */
  save(id: string, bytes: Uint8Array): Promise<void> {
    const waiting = this.#rooms.get(id)?.waiting;
    if (waiting) {
      this.replaced += 1;
      waiting.bytes = bytes;
      return waiting.done;
    }
    const done = this.run(id, () => {
      const room = this.#rooms.get(id);
      if (room?.waiting === save) room.waiting = undefined;
      return this.#write(id, save.bytes);
    });
    const save: WaitingSave = { bytes, done };
    this.#rooms.get(id)!.waiting = save;
    return done;
  }

  /** Runs a task after all those of the room that were given before. */
  run<Value>(id: string, task: () => Promise<Value>): Promise<Value> {
    const room = this.#rooms.get(id);
    const done = (room?.last ?? Promise.resolve()).then(() => this.#limited(task));
    // A task that fails must not keep the next from running.
    const last: Promise<void> = done.then(
      () => this.#ended(id, last),
      () => this.#ended(id, last),
    );
    this.#rooms.set(id, { last, waiting: undefined });
    return done;
  }

  /** Resolves when all tasks that were given before have ended. */
  async idle(): Promise<void> {
    await Promise.all(Array.from(this.#rooms.values(), ({ last }) => last));
  }

  async #limited<Value>(task: () => Promise<Value>): Promise<Value> {
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#ready.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      const next = this.#ready.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #ended(id: string, last: Promise<unknown>): void {
    if (this.#rooms.get(id)?.last === last) this.#rooms.delete(id);
  }
}
