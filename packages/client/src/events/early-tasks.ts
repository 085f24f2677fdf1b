/** Holds tasks in order until `open()`. Later tasks run at once. */
export class EarlyTasks {
  readonly #maxWaiting: number;
  #waiting: (() => unknown)[] | undefined = [];

  /** @param maxWaiting limit of waiting tasks; further ones are dropped */
  constructor(maxWaiting = Infinity) {
    this.#maxWaiting = maxWaiting;
  }

  get isOpen(): boolean {
    return this.#waiting === undefined;
  }

  /** Runs the task or holds it. Returns false if it is dropped, or if the task itself returns false. */
  run(task: () => boolean | void): boolean {
    if (!this.#waiting) return task() !== false;
    if (this.#waiting.length >= this.#maxWaiting) return false;
    this.#waiting.push(task);
    return true;
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const task of waiting) task();
  }
}
