import { AsyncLocalStorage } from "node:async_hooks";
import type { Scheduler } from "@paceline/transport";
import type { HookLog } from "./hook-log.js";
import { Refusal, type RefusalKind } from "./refusal.js";

/** The result of an awaited hook. */
export type HookOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: string | undefined; readonly kind?: RefusalKind };

export interface HooksOptions {
  readonly scheduler: Scheduler;
  readonly log: HookLog;
  /** Timeout of an awaited hook. */
  readonly timeoutMs: number;
  /**
   * A hook has failed: thrown, rejected, or not ended in time. Of what a hook left behind (see {@link blame}) the name is
   * `uncaughtException` or `unhandledRejection`.
   */
  onError(hook: string, error: unknown): void;
  /** A hook has held the process for so long. */
  readonly onTook?: (tookMs: number) => void;
}

/** A hook that runs, or that has started the timer or promise that runs. */
interface Running {
  readonly hooks: Hooks;
  readonly hook: string;
}

const running = new AsyncLocalStorage<Running>();
let watchers = 0;

/**
 * From now on it is known which hook has started a timer or a promise; the result ends that. It costs every promise of the
 * process some 0.2 microseconds.
 */
export function traceHooks(): () => void {
  watchers += 1;
  return () => {
    watchers -= 1;
  };
}

/**
 * Something was thrown that nobody caught, in a timer or a promise that runs now: it is the error of the room whose hook has
 * started that. False if there is none.
 */
export function blame(name: "uncaughtException" | "unhandledRejection", error: unknown): boolean {
  const culprit = running.getStore();
  culprit?.hooks.failed(name, error, culprit.hook);
  return culprit !== undefined;
}

/** Calls what the game wrote. Whatever it does (throw, reject, never end), the caller goes on. */
export class Hooks {
  readonly #options: HooksOptions;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** Calls a hook and waits for its end, or for the timeout. */
  wait<Value>(hook: string, fn: () => Value | PromiseLike<Value>): Promise<HookOutcome<Value>> {
    const { scheduler, timeoutMs, log } = this.#options;
    return new Promise((resolve) => {
      const cancel = scheduler.after(timeoutMs, () => {
        this.failed(hook, new Error(`not ended within ${timeoutMs} ms`));
        resolve({ ok: false, refusal: undefined });
      });
      Promise.resolve()
        .then(() => this.#timed(hook, fn))
        .then(
          (value) => {
            cancel();
            resolve({ ok: true, value });
          },
          (error: unknown) => {
            cancel();
            if (error instanceof Refusal) {
              log.refused(hook, error);
              return resolve({ ok: false, refusal: error.message, kind: error.kind });
            }
            this.failed(hook, error);
            resolve({ ok: false, refusal: undefined });
          },
        );
    });
  }

  /** Calls a hook; where it returns a promise, its rejection counts, its end is not waited for. */
  call(hook: string, fn: () => unknown): void {
    this.guard(hook, () => this.#timed(hook, fn));
  }

  /** As {@link call}, for code of ours around hooks: its time is not measured. */
  guard(hook: string, fn: () => unknown): void {
    try {
      const result = fn();
      if (isPromise(result)) result.then(undefined, (error: unknown) => this.failed(hook, error));
    } catch (error) {
      this.failed(hook, error);
    }
  }

  /** Calls what has to be done at once; undefined where it throws. */
  attempt<Value>(hook: string, fn: () => Value): Value | undefined {
    try {
      return this.#timed(hook, fn);
    } catch (error) {
      this.failed(hook, error);
      return undefined;
    }
  }

  /** A hook has failed. `startedBy`: the hook that has started what failed. */
  failed(hook: string, error: unknown, startedBy?: string): void {
    this.#options.log.failed(hook, error, startedBy);
    this.#options.onError(hook, error);
  }

  #timed<Value>(hook: string, fn: () => Value): Value {
    const { scheduler, onTook } = this.#options;
    const startedMs = scheduler.nowMs();
    try {
      return watchers === 0 ? fn() : running.run({ hooks: this, hook }, fn);
    } finally {
      onTook?.(scheduler.nowMs() - startedMs);
    }
  }
}

/** Returns the sentence that players get about a hook that failed. The error itself may name things that are none of their business. */
export function failureText(hook: string): string {
  return `the room's code failed in ${hook}; the server's log has the error`;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
