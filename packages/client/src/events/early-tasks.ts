/** Takers of what the server sends: the room, once it exists, and the game, once it can listen. */
export type Audience = "room" | "game";

type Task = () => boolean | void;

/** Holds tasks in order until their audience is there. Later tasks run at once. */
export class EarlyTasks {
  readonly #maxWaiting: number;
  /** Waiting tasks by audience; undefined while that is there. */
  readonly #waiting: Record<Audience, Task[] | undefined> = { room: [], game: [] };

  /** @param maxWaiting limit of waiting tasks of each audience; further ones are dropped */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  isOpen(audience: Audience): boolean {
    return !this.#waiting[audience];
  }

  /** Runs the task or holds it. Returns false if it is dropped, or if the task itself returns false. */
  run(audience: Audience, task: Task): boolean {
    const waiting = this.#waiting[audience];
    if (!waiting) return task() !== false;
    return waiting.length < this.#maxWaiting && waiting.push(task) > 0;
  }

  /** Runs the tasks that wait for this audience. */
  open(audience: Audience): void {
    const due = this.#waiting[audience];
    this.#waiting[audience] = undefined;
    due?.forEach((task) => task());
  }

  /** Holds tasks for this audience again. */
  close(audience: Audience): void {
    this.#waiting[audience] ??= [];
  }

  /** Drops the waiting tasks: they concerned another seat. */
  clear(): void {
    for (const waiting of Object.values(this.#waiting)) waiting?.splice(0);
  }
}
