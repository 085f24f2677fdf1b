import type { Cancel, Scheduler, WebSocketLike } from "@paceline/transport";

/** Durations of a {@link BusyPage}, ms. */
interface BusyPageOptions {
  readonly scheduler: Scheduler;
  readonly frameMs: () => number;
  /** Time in a frame in which the page handles nothing else. */
  readonly workMs: () => number;
  readonly phaseMs: number;
}

/**
 * A page that draws frames, and handles timers and messages only after the work of a frame, as a slow machine
 * does. It is the scheduler of its client.
 */
export class BusyPage implements Scheduler {
  onFrame: ((nowMs: number) => void) | undefined;
  readonly #options: BusyPageOptions;
  readonly #waiting: (() => void)[] = [];
  #busyUntilMs = 0;

  constructor(options: BusyPageOptions) {
    this.#options = options;
    options.scheduler.after(options.phaseMs, () => this.#frame());
  }

  nowMs(): number {
    return this.#options.scheduler.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    let isCancelled = false;
    // Timers of browsers count whole milliseconds.
    this.#options.scheduler.after(Math.ceil(delayMs), () =>
      this.#handle(() => {
        if (!isCancelled) fn();
      }),
    );
    return () => {
      isCancelled = true;
    };
  }

  every(periodMs: number, fn: () => void): Cancel {
    let cancel: Cancel;
    let dueMs = this.nowMs();
    const wait = (): void => {
      dueMs = Math.max(dueMs, this.nowMs() - periodMs / 2) + periodMs;
      cancel = this.after(dueMs - this.nowMs(), () => {
        wait();
        fn();
      });
    };
    wait();
    return () => cancel();
  }

  /** Makes the page handle the messages of a socket like its other tasks. */
  socket<Socket extends WebSocketLike>(socket: Socket): Socket {
    const add = socket.addEventListener.bind(socket) as (type: string, fn: (event: never) => void) => void;
    const listen = (type: string, fn: (event: never) => void): void =>
      add(type, (event) => this.#handle(() => fn(event)));
    return Object.assign(socket, { addEventListener: listen });
  }

  #handle(task: () => void): void {
    if (this.nowMs() < this.#busyUntilMs) this.#waiting.push(task);
    else task();
  }

  #frame(): void {
    const { scheduler, frameMs, workMs } = this.#options;
    const untilNextMs = frameMs();
    scheduler.after(untilNextMs, () => this.#frame());
    this.onFrame?.(this.nowMs());
    const busyMs = Math.max(0, Math.min(0.98 * untilNextMs, workMs()));
    this.#busyUntilMs = this.nowMs() + busyMs;
    scheduler.after(busyMs, () => {
      for (const task of this.#waiting.splice(0)) task();
    });
  }
}
