import type { Cancel, Scheduler } from "@paceline/transport";
import { Histogram } from "../ops/histogram.js";

export interface TickLoopOptions {
  readonly scheduler: Scheduler;
  readonly tickHz: number;
  step(tick: number): void;
  /** Called when so many steps were left out. */
  onSkipped?(ticks: number): void;
}

/** Most late steps that are made at once. Further ones are skipped. */
const MAX_CATCH_UP = 4;
/** A step may begin this much early, ms, because timers count in whole milliseconds. */
const EARLY_MS = 0.5;
/** Shortest pause after each run, ms: a late loop must leave time for other code. */
const BREATH_MS = 1;

/**
 * Runs steps at a fixed rate. Their times follow from the first one, so that lateness does not add up. A late
 * loop makes a few late steps at once and skips the others: a room that is too slow runs slowly, instead of
 * falling behind for ever.
 */
export class TickLoop {
  /** Lateness of steps, ms. */
  readonly lateness = new Histogram();
  /** Duration of steps, ms. */
  readonly duration = new Histogram();
  readonly #options: TickLoopOptions;
  readonly #periodMs: number;
  /** Tick of the newest step. */
  tick = 0;
  /** Number of steps that were due but skipped. */
  skipped = 0;
  #nextAtMs = 0;
  #cancel: Cancel | undefined;
  #isRunning = false;

  constructor(options: TickLoopOptions) {
    this.#options = options;
    this.#periodMs = 1000 / options.tickHz;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#nextAtMs = this.#options.scheduler.nowMs() + this.#periodMs;
    this.#wait();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(): void {
    const { scheduler } = this.#options;
    // Timers cut off fractions of a ms: rounded up, they need no second one for the rest.
    const delayMs = Math.ceil(this.#nextAtMs - EARLY_MS - scheduler.nowMs());
    this.#cancel = scheduler.after(Math.max(BREATH_MS, delayMs), () => this.#run());
  }

  #run(): void {
    const { scheduler } = this.#options;
    for (let made = 0; this.#isRunning && made < MAX_CATCH_UP; made++) {
      const nowMs = scheduler.nowMs();
      if (nowMs + EARLY_MS < this.#nextAtMs) break;
      this.lateness.add(Math.max(0, nowMs - this.#nextAtMs));
      this.#nextAtMs += this.#periodMs;
      this.tick = (this.tick + 1) >>> 0;
      this.#options.step(this.tick);
      this.duration.add(scheduler.nowMs() - nowMs);
    }
    if (!this.#isRunning) return;
    this.#skip(scheduler.nowMs());
    this.#wait();
  }

  #skip(nowMs: number): void {
    const late = Math.floor((nowMs + EARLY_MS - this.#nextAtMs) / this.#periodMs);
    if (late <= 0) return;
    this.skipped += late;
    this.#nextAtMs += late * this.#periodMs;
    this.#options.onSkipped?.(late);
  }
}
