import type { ServerConnectionHandlers } from "./server-connection-options.js";

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

/** Reports that cannot wait. */
const urgent = ["onNewSession", "onWelcome", "onLeft"] as const;

type Urgent = (typeof urgent)[number];

/**
 * Returns handlers that hold what the server sends until the room can take it. A held report then goes to the
 * handlers that `room` returns.
 * @param own handlers of reports that cannot wait
 */
export function earlyHandlers(
  early: EarlyTasks,
  room: () => ServerConnectionHandlers,
  own: Pick<ServerConnectionHandlers, Urgent>,
): ServerConnectionHandlers {
  const hold =
    (name: Exclude<keyof ServerConnectionHandlers, Urgent>) =>
    (...report: never[]): boolean =>
      early.run("room", () => {
        const take: (...report: never[]) => boolean | void = room()[name];
        return take(...report);
      });
  const isUrgent = (name: keyof ServerConnectionHandlers): name is Urgent =>
    (urgent as readonly string[]).includes(name);
  return new Proxy(own as ServerConnectionHandlers, {
    get: (_, name: keyof ServerConnectionHandlers) => (isUrgent(name) ? own[name] : hold(name)),
  });
}
