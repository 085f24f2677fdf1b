import { NetError } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";

/** A second or two of a game that moves entities: no start of one that calls advance a little later. */
const MANY_MOVES = 30;

export interface UndrivenTicksOptions {
  readonly scheduler: Scheduler;
  /** Whether the game says its moments itself by now. */
  readonly time: { readonly isDriven: boolean };
  /** Whether nothing would be sent: the page need not wake up then. */
  isIdle(): boolean;
  /** Whether the game has moved an entity since states were last sent. */
  hasMoved(): boolean;
  publish(): void;
  report(error: NetError): void;
}

/** Publishes at the plan's state rate for a game that never calls `advance` or `loop`; a new rate restarts the timer. */
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
