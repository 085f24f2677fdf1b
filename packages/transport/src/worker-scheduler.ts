import { systemScheduler, systemTurnMs, type Cancel, type Scheduler } from "./scheduler.js";

/** Wakes the page up: what a {@link WorkerScheduler} needs of a Worker. */
export interface Waker {
  /** One wake-up after so long, in place of the one that was asked for before. */
  wakeAfter(delayMs: number): void;
}

/** Starts a waker; `onReady` gives it as soon as it runs, if it ever does. */
export type StartWaker = (onReady: (waker: Waker) => void, onWake: () => void) => void;

interface Timer {
  dueAtMs: number;
  /** It wakes nobody before it is late by so much, and may run early by as much when somebody else wakes up. */
  readonly slackMs: number;
  /** Undefined for one that runs once. */
  readonly periodMs: number | undefined;
  readonly run: () => void;
}

/** A wake-up that has not come for so long was lost: it is asked for again. */
const LOST_AFTER_MS = 1000;

/**
 * Timers that a hidden page does not slow down: browsers let the timers of a hidden page's main thread run once a
 * second, those of a Worker as they are. All timers share one wake-up, the page's own or, in a hidden page, a Worker's:
 * to set or end a timer sends the Worker nothing, unless the timer is the next one. In a page that was never hidden, and
 * where there is no Worker, wake-ups are the page's own.
 */
export class WorkerScheduler implements Scheduler {
  readonly turnMs = systemTurnMs;
  /** Undefined once it has begun. */
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
    return this.#add(delayMs, { periodMs: undefined, slackMs: 0, run: fn });
  }

  every(periodMs: number, fn: () => void, slackMs = 0): Cancel {
    return this.#add(periodMs, { periodMs, slackMs, run: fn });
  }

  #add(delayMs: number, of: Omit<Timer, "dueAtMs">): Cancel {
    this.#watchPage();
    const nowMs = this.nowMs();
    const timer: Timer = { ...of, dueAtMs: nowMs + (delayMs > 0 ? delayMs : 0) };
    this.#timers.add(timer);
    const latestMs = timer.dueAtMs + timer.slackMs;
    if (this.#wakesAtMs < nowMs - LOST_AFTER_MS) this.#wakeForNext();
    else if (latestMs < this.#wakesAtMs) this.#wakeAt(latestMs, nowMs);
    return () => {
      this.#timers.delete(timer);
      // Nothing keeps a process of Node running that has no timers.
      if (this.#timers.size === 0) this.#wakeForNext();
    };
  }

  #wakeAt(atMs: number, nowMs = this.nowMs()): void {
    if (this.#isWaking) return;
    this.#wakesAtMs = atMs;
    this.#cancelLocal?.();
    this.#cancelLocal = undefined;
    if (atMs === Infinity) return;
    // Timers of the platform leave fractions out, and would be early.
    const delayMs = Math.max(0, Math.ceil(atMs - nowMs));
    if (this.#waker && isHidden()) this.#waker.wakeAfter(delayMs);
    else this.#cancelLocal = systemScheduler.after(delayMs, this.#wakeLocally);
  }

  #wakeForNext(): void {
    let nextMs = Infinity;
    for (const { dueAtMs, slackMs } of this.#timers) nextMs = Math.min(nextMs, dueAtMs + slackMs);
    this.#wakeAt(nextMs);
  }

  /** Runs what is due; what one of them throws comes out by itself, and keeps no other from its turn. */
  #wake(): void {
    const nowMs = this.nowMs();
    const due = [...this.#timers].filter(({ dueAtMs, slackMs }) => dueAtMs - slackMs <= nowMs);
    due.sort((a, b) => a.dueAtMs - b.dueAtMs);
    this.#isWaking = true;
    for (const timer of due) {
      // An earlier one may have ended it.
      if (!this.#timers.has(timer)) continue;
      const { periodMs } = timer;
      // After a pause once is enough. One with slack keeps company with whoever woke it up.
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

  /** A page that is hidden needs the Worker from then on. */
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

/** The page's clock, and timers that go on while it is hidden. All users share one Worker. */
export const workerScheduler: Scheduler = new WorkerScheduler();

/** The Worker's program: it only wakes up. */
const WORKER_SOURCE =
  "let t;onmessage=({data})=>{clearTimeout(t);t=setTimeout(()=>postMessage(1),data)};postMessage(0)";

/** A page's policy may forbid such a Worker: that throws, or is an error event; or nothing is ever heard of it. */
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
    // Timers are the page's own: no need to tell anybody.
    worker.addEventListener("error", (event) => event.preventDefault());
  } catch {
    URL.revokeObjectURL(address);
  }
}
