/** A waiting timer. */
export interface Timer {
  /** Time at which it runs, ms on the scheduler's clock. */
  atMs: number;
  /** Order of creation, which decides between timers of the same instant. */
  order: number;
  /** Undefined after a cancellation; the entry then leaves the heap at its time. */
  run: (() => void) | undefined;
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** Binary min-heap of timers: the earliest first, and at the same instant the one created first. */
export class TimerHeap {
  readonly #timers: Timer[] = [];

  get size(): number {
    return this.#timers.length;
  }

  first(): Timer | undefined {
    return this.#timers[0];
  }

  push(timer: Timer): void {
    const timers = this.#timers;
    let at = timers.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = timers[parentAt];
      if (parent === undefined || isBefore(parent, timer)) break;
      timers[at] = parent;
      at = parentAt;
    }
    timers[at] = timer;
  }

  pop(): Timer | undefined {
    const timers = this.#timers;
    const first = timers[0];
    const last = timers.pop();
    if (last !== undefined && timers.length > 0) this.#sink(last);
    return first;
  }

  /** Places `timer` at the root and sinks it to its position. */
  #sink(timer: Timer): void {
    const timers = this.#timers;
    let at = 0;
    for (;;) {
      const child = this.#earlierChild(at);
      const below = timers[child];
      if (below === undefined || isBefore(timer, below)) break;
      timers[at] = below;
      at = child;
    }
    timers[at] = timer;
  }

  #earlierChild(parentAt: number): number {
    const left = this.#timers[2 * parentAt + 1];
    const right = this.#timers[2 * parentAt + 2];
    const isRight = left !== undefined && right !== undefined && isBefore(right, left);
    return 2 * parentAt + (isRight ? 2 : 1);
  }
}
