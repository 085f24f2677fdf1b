import { LogThrottle, type Log } from "@paceline/relay";
import type { Scheduler } from "@paceline/transport";
import { Refusal, type RefusalKind } from "./refusal.js";

/** How a hook ended that was waited for. */
export type HookOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: string | undefined; readonly kind?: RefusalKind };

export interface HooksOptions {
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly roomName: string;
  /** How long a hook that is waited for may take. */
  readonly timeoutMs: number;
  /** A hook has failed: thrown, rejected, or not ended in time. */
  onError(hook: string): void;
  /** A hook has held the process for so long. */
  readonly onTook?: (tookMs: number) => void;
}

/** Calls what the game wrote. Whatever it does (throw, reject, never end), the caller goes on. */
export class Hooks {
  readonly #options: HooksOptions;
  readonly #lines: LogThrottle;

  constructor(options: HooksOptions) {
    this.#options = options;
    this.#lines = new LogThrottle(options.scheduler);
  }

  /** Calls a hook and waits for its end, or for the timeout. */
  wait<Value>(hook: string, fn: () => Value | PromiseLike<Value>): Promise<HookOutcome<Value>> {
    const { scheduler, timeoutMs } = this.#options;
    return new Promise((resolve) => {
      const cancel = scheduler.after(timeoutMs, () => {
        this.#failed(hook, new Error(`not ended within ${timeoutMs} ms`));
        resolve({ ok: false, refusal: undefined });
      });
      Promise.resolve()
        .then(() => this.#timed(fn))
        .then(
          (value) => {
            cancel();
            resolve({ ok: true, value });
          },
          (error: unknown) => {
            cancel();
            if (error instanceof Refusal) {
              this.#refused(hook, error);
              return resolve({ ok: false, refusal: error.message, kind: error.kind });
            }
            this.#failed(hook, error);
            resolve({ ok: false, refusal: undefined });
          },
        );
    });
  }

  /** Calls a hook; where it returns a promise, its rejection counts, its end is not waited for. */
  call(hook: string, fn: () => unknown): void {
    try {
      const result = this.#timed(fn);
      if (isPromise(result)) result.then(undefined, (error: unknown) => this.#failed(hook, error));
    } catch (error) {
      this.#failed(hook, error);
    }
  }

  /** Calls what has to be done at once; undefined where it throws. */
  attempt<Value>(hook: string, fn: () => Value): Value | undefined {
    try {
      return this.#timed(fn);
    } catch (error) {
      this.#failed(hook, error);
      return undefined;
    }
  }

  #timed<Value>(fn: () => Value): Value {
    const { scheduler, onTook } = this.#options;
    const startedMs = scheduler.nowMs();
    try {
      return fn();
    } finally {
      onTook?.(scheduler.nowMs() - startedMs);
    }
  }

  /** A refusal is the game's word; that it could not decide is for those who run the server too. */
  #refused(hook: string, { kind, message, cause }: Refusal): void {
    if (kind !== "unavailable") return;
    const { log, roomName } = this.#options;
    const fields = { room: roomName, hook, reason: message, error: String(cause) };
    this.#lines.write(log.warn, "a hook could not decide", fields);
  }

  #failed(hook: string, error: unknown): void {
    const { log, roomName } = this.#options;
    this.#options.onError(hook);
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#lines.write(log.error, "a hook failed", { room: roomName, hook, error: stack });
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
