import type { Cancel, Scheduler } from "@paceline/transport";
import { MAX_BEHIND_MS, type GameTime } from "./game-time.js";
import { guarded, type Unsubscribe } from "../listeners.js";
import type { Page } from "../browser/page.js";

/**
 * Runs one step of the game. `seconds` is the time since the last step. The values that the step writes
 * belong to `atMs`, on the clock of `performance.now`.
 */
export type LoopStep = (seconds: number, atMs: number) => void;

/** Turns per second without a page, or while the page is hidden, if the game has no fixed steps. */
const UNSEEN_HZ = 60;
/** A timer runs the turns of a page that draws no frame for this long. */
const NO_FRAME_MS = 100;
/** Steps may run this much early, because moments are sums of fractions of a millisecond. */
const ROUNDING_MS = 0.5;

interface StepMode {
  /**
   * True if values are published after each step. Otherwise they are published once for all steps of a frame.
   */
  readonly publishesSteps: boolean;
  /**
   * Calls `step`, and then applies its inputs, for all steps that are due by `untilMs`. Returns false if
   * nothing takes inputs.
   */
  play(untilMs: number, step: (atMs: number) => void): boolean;
}

export interface GameLoopOptions {
  readonly scheduler: Scheduler;
  readonly page: Page | undefined;
  readonly time: GameTime;
  /** Steps per second; undefined if every frame is one step. */
  readonly stepHz: () => number | undefined;
  readonly mode: () => StepMode;
  /** Sends the values that belong to that moment, as far as they need to be sent. */
  readonly publish: (atMs: number, isLast?: boolean) => void;
  /** Called when the loop stops, and with it the calls of `publish`. */
  readonly onStop: () => void;
}

/**
 * Calls the game with the page's frames while they are drawn, and from timers in Node and while the page is
 * hidden.
 */
export class GameLoop {
  readonly #options: GameLoopOptions;
  #step: LoopStep | undefined;
  /** When the newest turn ran, and the moment that it was for. */
  #turnedAtMs = 0;
  #momentMs = 0;
  #steps: FixedSteps | undefined;
  #cancelTurn: Cancel | undefined;
  #cancelWatch: Cancel | undefined;

  constructor(options: GameLoopOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#step !== undefined;
  }

  start(step: LoopStep): Unsubscribe {
    // An error in a step is reported like any error of the game's code. The next step still runs.
    const careful: LoopStep = (seconds, atMs) => guarded(() => step(seconds, atMs));
    const { scheduler } = this.#options;
    this.#step = careful;
    this.#steps = undefined;
    this.#turnedAtMs = this.#momentMs = scheduler.nowMs();
    this.#wait(this.#turnedAtMs);
    this.#cancelWatch = scheduler.every(NO_FRAME_MS, () => this.#watch());
    return () => {
      if (this.#step === careful) this.stop();
    };
  }

  stop(): void {
    this.#step = undefined;
    this.#options.time.release();
    this.#cancelTurn?.();
    this.#cancelWatch?.();
    this.#options.onStop();
  }

  /** Waits for the next frame. Without frames, a timer at the loop's rate replaces it. */
  #wait(lastMs: number): void {
    const { scheduler, page, stepHz } = this.#options;
    if (page?.frames && !page.isHidden) {
      this.#cancelTurn = page.frames.request((startedAtMs) => this.#turn(startedAtMs, startedAtMs));
      return;
    }
    const dueMs = lastMs + 1000 / (stepHz() ?? UNSEEN_HZ);
    const turn = (): void => this.#turn(scheduler.nowMs(), dueMs);
    this.#cancelTurn = scheduler.after(Math.max(0, dueMs - scheduler.nowMs()), turn);
  }

  /** Runs a turn if no frame came for too long: the page may have been hidden while it waited. */
  #watch(): void {
    const nowMs = this.#options.scheduler.nowMs();
    if (nowMs - this.#turnedAtMs < NO_FRAME_MS) return;
    this.#cancelTurn?.();
    this.#turn(nowMs, nowMs);
  }

  #turn(atMs: number, dueMs: number): void {
    const step = this.#step;
    if (!step) return;
    this.#turnedAtMs = this.#options.scheduler.nowMs();
    this.#run(step, atMs);
    if (this.#step === step) this.#wait(atMs - dueMs < MAX_BEHIND_MS ? dueMs : atMs);
  }

  #run(step: LoopStep, atMs: number): void {
    const { time, publish, stepHz } = this.#options;
    const hz = stepHz();
    const mode = this.#options.mode();
    if (hz === undefined) {
      const sinceMs = atMs - this.#momentMs;
      if (sinceMs <= 0) return;
      this.#momentMs = atMs;
      step(Math.min(sinceMs, MAX_BEHIND_MS) / 1000, atMs);
      return publish(time.drive(atMs));
    }
    const run = (stepAtMs: number, isLast = true): void => {
      if (this.#step !== step) return;
      step(1 / hz, stepAtMs);
      if (mode.publishesSteps) publish(time.drive(stepAtMs), isLast);
    };
    this.#steps ??= new FixedSteps(atMs);
    if (!mode.play(atMs, run)) this.#steps.run(1000 / hz, atMs, run);
    if (!mode.publishesSteps) publish(time.drive(atMs));
  }
}

class FixedSteps {
  #nextAtMs: number;

  constructor(firstAtMs: number) {
    this.#nextAtMs = firstAtMs;
  }

  /** The period changes when the player joins another room whose authority has another rate. */
  run(periodMs: number, untilMs: number, step: (atMs: number, isLast: boolean) => void): void {
    this.#nextAtMs = afterPause(this.#nextAtMs, untilMs, periodMs);
    while (this.#nextAtMs <= untilMs + ROUNDING_MS) {
      const atMs = this.#nextAtMs;
      this.#nextAtMs += periodMs;
      step(atMs, this.#nextAtMs > untilMs + ROUNDING_MS);
    }
  }
}

/** Returns when the next step is due after a pause. Steps that are more than 250 ms late are skipped. */
export function afterPause(nextAtMs: number, nowMs: number, periodMs: number): number {
  const leftOut = Math.ceil((nowMs - MAX_BEHIND_MS - nextAtMs) / periodMs);
  return leftOut > 0 ? nextAtMs + leftOut * periodMs : nextAtMs;
}
