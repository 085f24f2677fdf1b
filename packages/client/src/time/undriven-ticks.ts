import { NetError } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";

/** Moves after which the game is told: of one or two seconds, because a game may call `advance` a little later. */
const MANY_MOVES = 30;

export interface UndrivenTicksOptions {
  readonly scheduler: Scheduler;
  /** `isDriven` is true once the game gives its moments itself. */
  readonly time: { readonly isDriven: boolean };
  /** True if nothing would be sent. The page need not wake up then. */
  isIdle(): boolean;
  hasMoved(): boolean;
  publish(): void;
  report(error: NetError): void;
}

/**
 * Publishes at the plan's state rate for a game that never calls `advance` or `loop`. A new rate restarts the
 * timer.
 */
export class UndrivenTicks {
  readonly #options: UndrivenTicksOptions;
  #hz: number | undefined;
  #cancel: Cancel | undefined;
  #moves = 0;

  constructor(options: UndrivenTicksOptions) {
    this.#options = options;
  }

  runAt(hz: number): void {
    if (hz === this.#hz) return;
    this.stop();
    this.#hz = hz;
    this.#cancel = this.#options.scheduler.every(1000 / hz, () => this.#step());
  }

  stop(): void {
    this.#cancel?.();
    this.#hz = undefined;
  }

  #step(): void {
    const options = this.#options;
    if (options.time.isDriven || options.isIdle()) return this.stop();
    this.#moves += options.hasMoved() ? 1 : 0;
    if (this.#moves === MANY_MOVES) options.report(undrivenError());
    options.publish();
  }
}

function undrivenError(): NetError {
  const message =
    "the game moves entities and calls neither room.advance nor room.loop: others see them less smoothly";
  return new NetError("time/undriven", `${message}; call room.advance() at the end of every frame`);
}
