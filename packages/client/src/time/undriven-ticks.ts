import type { Cancel, Scheduler } from "@paceline/transport";

/** For a game that says no ticks: states leave at the plan's rate, begun anew where that changes. */
export class UndrivenTicks {
  readonly #scheduler: Scheduler;
  readonly #step: () => void;
  #hz: number | undefined;
  #cancel: Cancel | undefined;

  constructor(scheduler: Scheduler, step: () => void) {
    this.#scheduler = scheduler;
    this.#step = step;
  }

  runAt(hz: number): void {
    if (hz === this.#hz) return;
    this.stop();
    this.#hz = hz;
    this.#cancel = this.#scheduler.every(1000 / hz, this.#step);
  }

  stop(): void {
    this.#cancel?.();
    this.#hz = undefined;
  }
}
