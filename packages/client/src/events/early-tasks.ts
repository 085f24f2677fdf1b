/** Takers of what the server sends: the room, once it exists, and the game, once it can listen. */
export type Audience = "room" | "game";

interface Waiting {
  readonly audience: Audience;
  readonly task: () => unknown;
}

/** Holds tasks in order until their audience is there. Later tasks run at once. */
export class EarlyTasks {
  readonly #maxWaiting: number;
  readonly #open = new Set<Audience>();
  #waiting: Waiting[] = [];

  /** @param maxWaiting limit of waiting tasks of both audiences; further ones are dropped */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  isOpen(audience: Audience): boolean {
    return this.#open.has(audience);
  }

  /** Runs the task or holds it. Returns false if it is dropped, or if the task itself returns false. */
  run(audience: Audience, task: () => boolean | void): boolean {
    if (this.isOpen(audience)) return task() !== false;
    if (this.#waiting.length >= this.#maxWaiting) return false;
    this.#waiting.push({ audience, task });
    return true;
  }

  /** Runs the tasks that wait for this audience. */
  open(audience: Audience): void {
    const due = this.#waiting.filter((each) => each.audience === audience);
    this.#waiting = this.#waiting.filter((each) => each.audience !== audience);
    this.#open.add(audience);
    for (const { task } of due) task();
  }

  /** Holds tasks for this audience again. */
  close(audience: Audience): void {
    this.#open.delete(audience);
  }

  /** Drops the waiting tasks: they concerned another seat. */
  clear(): void {
    this.#waiting = [];
  }
}
