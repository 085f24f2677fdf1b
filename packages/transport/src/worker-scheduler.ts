import { systemScheduler, systemTurnMs, type Cancel, type Scheduler } from "./scheduler.js";

/** Wakes the page up. A {@link WorkerScheduler} gets one from a Worker. */
export interface Waker {
  /** Requests one wake-up after this time, instead of the one requested before. */
  wakeAfter(delayMs: number): void;
}

/** Starts a waker. Calls `onReady` with it as soon as it runs, perhaps never. */
export type StartWaker = (onReady: (waker: Waker) => void, onWake: () => void) => void;

interface Timer {
  dueAtMs: number;
  /** Time by which it may run late, or early if another timer wakes the page up. */
  readonly slackMs: number;
  /** Undefined for a timer that runs once. */
  readonly periodMs: number | undefined;
  readonly run: () => void;
}

/** Time after which a missing wake-up counts as lost, and is requested again. */
const LOST_AFTER_MS = 1000;

/**
 * Timers that a hidden page does not slow down. Browsers run the timers of a hidden page's main thread once a
 * second, and those of a Worker as usual. All timers share one wake-up: the page's own, or a Worker's while
 * the page is hidden. A change of a timer is sent to the Worker only if that timer is the next one. Wake-ups
 * are always the page's own if it was never hidden, or if there is no Worker.
 */
export class WorkerScheduler implements Scheduler {
  readonly turnMs = systemTurnMs;
  /** Undefined once it has been called. */
  #startWaker: StartWaker | undefined;
  readonly #timers = new Set<Timer>();
  #waker: Waker | undefined;
  #isWatching = false;
  #isWaking = false;
  #wakesAtMs = Infinity;
  #cancelLocal: Cancel | undefined;
  readonly #wakeLocally = (): void => {
    this.#cancelLocal = undefined;
    this.#wake();
  };

  constructor(startWaker: StartWaker = startWorker) {
    this.#startWaker = startWaker;
  }

  nowMs(): number {
    return systemScheduler.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    return this.#add(delayMs, fn);
  }

  every(periodMs: number, fn: () => void, slackMs = 0): Cancel {
    return this.#add(periodMs, fn, periodMs, slackMs);
  }

  #add(delayMs: number, run: () => void, periodMs?: number, slackMs = 0): Cancel {
    this.#watchPage();
    const nowMs = this.nowMs();
    const dueAtMs = nowMs + (delayMs > 0 ? delayMs : 0);
    const timer: Timer = { dueAtMs, slackMs, periodMs, run };
    this.#timers.add(timer);
    const latestMs = dueAtMs + slackMs;
    if (this.#wakesAtMs < nowMs - LOST_AFTER_MS) this.#wakeForNext();
    else if (latestMs < this.#wakesAtMs) this.#wakeAt(latestMs, nowMs);
    return () => {
      this.#timers.delete(timer);
      // Without timers, no wake-up may keep a Node process running.
      if (this.#timers.size === 0) this.#wakeForNext();
    };
  }

  #wakeAt(atMs: number, nowMs = this.nowMs()): void {
    if (this.#isWaking) return;
    this.#wakesAtMs = atMs;
    this.#cancelLocal?.();
    this.#cancelLocal = undefined;
    if (atMs === Infinity) return;
    // Timers of the platform cut off fractions of a ms, and would run early.
    const delayMs = Math.max(0, Math.ceil(atMs - nowMs));
    if (this.#waker && isHidden()) this.#waker.wakeAfter(delayMs);
    else this.#cancelLocal = systemScheduler.after(delayMs, this.#wakeLocally);
  }

  #wakeForNext(): void {
    let nextMs = Infinity;
    for (const { dueAtMs, slackMs } of this.#timers) nextMs = Math.min(nextMs, dueAtMs + slackMs);
    this.#wakeAt(nextMs);
  }

  /** Runs the due timers. An error of one is thrown in a turn of its own, so that the others still run. */
  #wake(): void {
    const nowMs = this.nowMs();
    const due: Timer[] = [];
    for (const timer of this.#timers) if (timer.dueAtMs - timer.slackMs <= nowMs) due.push(timer);
    if (due.length > 1) due.sort((a, b) => a.dueAtMs - b.dueAtMs);
    this.#isWaking = true;
    for (const timer of due) {
      // An earlier timer may have ended it.
      if (!this.#timers.has(timer)) continue;
      const { periodMs } = timer;
      // After a pause one run is enough. The period of a timer with slack begins at this wake-up, so that it
      // goes on together with the timer that caused it.
      if (periodMs !== undefined)
        timer.dueAtMs =
          (timer.slackMs > 0 ? nowMs : Math.max(timer.dueAtMs, nowMs - periodMs / 2)) + periodMs;
      else this.#timers.delete(timer);
      try {
        timer.run();
      } catch (error) {
        systemScheduler.after(0, () => {
          throw error;
        });
      }
    }
    this.#isWaking = false;
    this.#wakeForNext();
  }

  /** Starts to watch the page: once it is hidden, its timers need the Worker. */
  #watchPage(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    if (typeof document !== "object") return;
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    this.#visibilityChanged();
  }

  #visibilityChanged(): void {
    if (isHidden()) {
      const start = this.#startWaker;
      this.#startWaker = undefined;
      start?.(
        (waker) => {
          this.#waker = waker;
          this.#wakeForNext();
        },
        () => this.#wake(),
      );
    }
    this.#wakeForNext();
  }
}

function isHidden(): boolean {
  return typeof document === "object" && document.visibilityState === "hidden";
}

/** The page's clock, with timers that go on while it is hidden. All users share one Worker. */
export const workerScheduler: Scheduler = new WorkerScheduler();

/** Program of the Worker: it only wakes the page up. */
const WORKER_SOURCE =
  "let t;onmessage=({data})=>{clearTimeout(t);t=setTimeout(()=>postMessage(1),data)};postMessage(0)";

/**
 * Starts the Worker. A page's policy may forbid it: then the constructor throws, an error event comes, or
 * nothing happens at all.
 */
function startWorker(onReady: (waker: Waker) => void, onWake: () => void): void {
  if (typeof Worker !== "function" || typeof URL.createObjectURL !== "function") return;
  const address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
  try {
    const worker = new Worker(address);
    worker.addEventListener("message", ({ data }: MessageEvent<number>) => {
      if (data === 1) return onWake();
      URL.revokeObjectURL(address);
      onReady({ wakeAfter: (delayMs) => worker.postMessage(delayMs, []) });
    });
    // The page then uses its own timers, and nobody needs the error.
    worker.addEventListener("error", (event) => event.preventDefault());
  } catch {
    URL.revokeObjectURL(address);
  }
}
