import { systemScheduler, systemTurnMs, type Cancel, type Scheduler } from "./scheduler.js";

/** Runs timers elsewhere: what a {@link WorkerScheduler} needs of a Worker. */
export interface Ticker {
  /** Begins a timer (`delayMs`, repeating or not) or ends it (`undefined`). */
  set(id: number, delayMs: number | undefined, isRepeating: boolean): void;
}

/** Starts a ticker; `onReady` gives it as soon as it runs, if it ever does; `onTick` is called when a timer is due. */
export type StartTicker = (onReady: (ticker: Ticker) => void, onTick: (id: number) => void) => void;

interface Timer {
  readonly delayMs: number;
  readonly isRepeating: boolean;
  readonly run: () => void;
  /** Ends the timer of this page's own, where it has one. */
  cancelLocal: Cancel | undefined;
  lastRunAtMs: number;
}

/** Ticks that waited behind a busy page come all at once: of a repeating timer one is enough. */
const LEAST_SHARE_OF_PERIOD = 0.5;

/**
 * Timers that a hidden page does not slow down: browsers let the timers of a hidden page's main thread run once a
 * second, those of a Worker as they are. Until the Worker runs, and where there is none, timers are the page's own.
 */
export class WorkerScheduler implements Scheduler {
  readonly #startTicker: StartTicker;
  readonly #timers = new Map<number, Timer>();
  #ticker: Ticker | undefined;
  #isStarted = false;
  #nextId = 0;

  constructor(startTicker: StartTicker = startWorker) {
    this.#startTicker = startTicker;
  }

  nowMs(): number {
    return systemScheduler.nowMs();
  }

  turnMs(): number {
    return systemTurnMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    return this.#add(delayMs, false, fn);
  }

  every(periodMs: number, fn: () => void): Cancel {
    return this.#add(periodMs, true, fn);
  }

  #add(delayMs: number, isRepeating: boolean, run: () => void): Cancel {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#startTicker(
        (ticker) => this.#moveTo(ticker),
        (id) => this.#tick(id),
      );
    }
    const id = this.#nextId++;
    const timer = {
      delayMs,
      isRepeating,
      run,
      cancelLocal: undefined,
      lastRunAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#timers.set(id, timer);
    this.#begin(id, timer);
    return () => this.#cancel(id);
  }

  #begin(id: number, timer: Timer): void {
    const { delayMs, isRepeating } = timer;
    if (this.#ticker) return this.#ticker.set(id, delayMs, isRepeating);
    const tick = (): void => this.#tick(id);
    timer.cancelLocal = isRepeating
      ? systemScheduler.every(delayMs, tick)
      : systemScheduler.after(delayMs, tick);
  }

  /** Timers that have begun here and run once end here. */
  #moveTo(ticker: Ticker): void {
    this.#ticker = ticker;
    for (const [id, timer] of this.#timers) {
      if (!timer.isRepeating) continue;
      timer.cancelLocal?.();
      timer.cancelLocal = undefined;
      this.#begin(id, timer);
    }
  }

  #tick(id: number): void {
    // A tick may have been under way when its timer was cancelled.
    const timer = this.#timers.get(id);
    if (!timer) return;
    const nowMs = this.nowMs();
    if (!timer.isRepeating) this.#timers.delete(id);
    else if (nowMs - timer.lastRunAtMs < timer.delayMs * LEAST_SHARE_OF_PERIOD) return;
    timer.lastRunAtMs = nowMs;
    timer.run();
  }

  #cancel(id: number): void {
    const timer = this.#timers.get(id);
    if (!timer) return;
    this.#timers.delete(id);
    if (timer.cancelLocal) timer.cancelLocal();
    else this.#ticker?.set(id, undefined, false);
  }
}

/** The page's clock, and timers of a Worker where the page may have one. All users share that Worker. */
export const workerScheduler: Scheduler = new WorkerScheduler();

/** What the Worker runs: it only ticks. */
const WORKER_SOURCE = `const ends = new Map();
onmessage = ({ data: [id, delayMs, isRepeating] }) => {
  ends.get(id)?.();
  ends.delete(id);
  if (delayMs === undefined) return;
  const tick = () => { if (!isRepeating) ends.delete(id); postMessage(id); };
  const timer = isRepeating ? setInterval(tick, delayMs) : setTimeout(tick, delayMs);
  ends.set(id, () => (isRepeating ? clearInterval : clearTimeout)(timer));
};
postMessage(-1);`;

/** A page's policy may forbid such a Worker: that throws, or is an error event; or nothing is ever heard of it. */
function startWorker(onReady: (ticker: Ticker) => void, onTick: (id: number) => void): void {
  if (typeof Worker !== "function" || typeof URL.createObjectURL !== "function") return;
  const address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
  try {
    const worker = new Worker(address);
    worker.addEventListener("message", ({ data }: MessageEvent<number>) => {
      if (data >= 0) return onTick(data);
      URL.revokeObjectURL(address);
      onReady({ set: (id, delayMs, isRepeating) => worker.postMessage([id, delayMs, isRepeating], []) });
    });
    // Timers are the page's own: no need to tell anybody.
    worker.addEventListener("error", (event) => event.preventDefault());
  } catch {
    URL.revokeObjectURL(address);
  }
}
