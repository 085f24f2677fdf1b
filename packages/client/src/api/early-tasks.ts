/** Tasks that run in their order once something is there, and at once from then on. */
export class EarlyTasks {
  readonly #maxWaiting: number;
  #waiting: (() => unknown)[] | undefined = [];

  /** @param maxWaiting what comes beyond so many waiting tasks is dropped */
  constructor(maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxWaiting = maxWaiting;
  }

  get isOpen(): boolean {
    return this.#waiting === undefined;
  }

  /** False where the task was dropped, or says so itself. */
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
