import type { Participant } from "@paceline/relay";
import { afterOwnTime, type Scheduler } from "@paceline/transport";
import type { HookLog } from "./hook-log.js";

/**
 * The kind of a refusal, for the client: `refused` (403, `match/refused`), `unauthorized` (401,
 * `match/unauthorized`: another token may work), `unavailable` (503, `match/auth-unavailable`: a later
 * attempt may work).
 */
export type RefusalKind = "refused" | "unauthorized" | "unavailable";

/** Error that `onAuth` and `onJoin` throw to refuse a player. The player gets the message. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(message: string, options: { readonly kind?: RefusalKind; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.kind = options.kind ?? "refused";
  }
}

/** The result of an awaited hook. */
export type HookOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: string | undefined; readonly kind?: RefusalKind };

export interface HooksOptions {
  readonly scheduler: Scheduler;
  readonly log: Pick<HookLog, "failed" | "refused">;
  readonly timeoutMs: number;
  readonly trace: HookTrace;
  /**
   * Called when a hook throws, rejects or does not end in time. For an error in a timer or promise that a
   * hook started, the name is `uncaughtException` or `unhandledRejection`.
   */
  onError(hook: string, error: unknown): void;
  /** Called with the synchronous run time of each hook. */
  readonly onTook?: (tookMs: number) => void;
}

/** The hook that runs, or that started the timer or promise that runs. */
export interface Running {
  readonly hooks: Hooks;
  readonly hook: string;
  /** Undefined if no message caused the hook. */
  readonly bill?: OpenBill | undefined;
}

/** Counts the packets that a room sends because of one message. */
interface OpenBill {
  /** False: the hook has ended. */
  isOpen: boolean;
  charge(packets: number): void;
  close(): void;
}

/** Pays for what a room sends because of a participant's message. */
export interface Bill {
  readonly payer: Pick<Participant, "charge">;
  readonly tariff: Tariff;
}

/**
 * Packets that the last message of a type caused. They are charged before the next one is handled: a handler that
 * waits sends them when many more messages have been read.
 */
export interface Tariff {
  packets: number;
}

/** Knows the hook that runs. On a server it also knows the hook that started the timer or promise that runs. */
export interface HookTrace {
  /** True: every hook is recorded. Otherwise only hooks that a message of a player has caused. */
  readonly isWatched: boolean;
  /** Returns the hook that runs. */
  getStore(): Running | undefined;
  run<Value>(running: Running, fn: () => Value): Value;
}

/** Calls the hooks that the game wrote. The caller continues if a hook throws, rejects or never ends. */
export class Hooks {
  readonly #options: HooksOptions;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /**
   * Charges packets that a room sends to the participant whose message the running hook handles. What a room sends
   * in its ticks and timers costs nobody anything.
   */
  charge(packets: number): void {
    const bill = this.#options.trace.getStore()?.bill;
    if (bill?.isOpen) bill.charge(packets);
  }

  /** Calls a hook and waits for its end, or for the timeout. `bill`: see {@link charge}. */
  wait<Value>(hook: string, fn: () => Value | PromiseLike<Value>, bill?: Bill): Promise<HookOutcome<Value>> {
    const { scheduler, timeoutMs, log } = this.#options;
    const open = bill && opened(bill);
    return new Promise((resolve) => {
      const cancel = afterOwnTime(scheduler, timeoutMs, () => {
        this.failed(hook, new Error(`not ended within ${timeoutMs} ms`));
        resolve({ ok: false, refusal: undefined });
      });
      Promise.resolve()
        .then(() => this.#timed(hook, fn, open))
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

  /**
   * Calls a hook without waiting for its promise. A rejection counts as a failure. `bill`: see
   * {@link charge}.
   */
  call(hook: string, fn: () => unknown, bill?: Bill): void {
    const open = bill && opened(bill);
    this.guard(hook, () => this.#timed(hook, fn, open));
  }

  /** Like {@link call}, for the library's own code around hooks. Does not measure its time. */
  guard(hook: string, fn: () => unknown): void {
    try {
      const result = fn();
      if (isPromise(result)) result.then(undefined, (error: unknown) => this.failed(hook, error));
    } catch (error) {
      this.failed(hook, error);
    }
  }

  /** Calls a synchronous hook. Returns undefined if it throws. */
  attempt<Value>(hook: string, fn: () => Value): Value | undefined {
    try {
      return this.#timed(hook, fn);
    } catch (error) {
      this.failed(hook, error);
      return undefined;
    }
  }

  /** Logs and reports a failed hook. `startedBy` is the hook that started the failed timer or promise. */
  failed(hook: string, error: unknown, startedBy?: string): void {
    this.#options.log.failed(hook, error, startedBy);
    this.#options.onError(hook, error);
  }

  #timed<Value>(hook: string, fn: () => Value, bill?: OpenBill): Value {
    const { scheduler, trace, onTook } = this.#options;
    const startedMs = scheduler.nowMs();
    try {
      if (bill) return trace.run({ hooks: this, hook, bill }, () => billed(bill, fn));
      return trace.isWatched ? trace.run({ hooks: this, hook }, fn) : fn();
    } finally {
      onTook?.(scheduler.nowMs() - startedMs);
    }
  }
}

/** Charges what the last such message caused. Later charges are only for what exceeds it. */
function opened({ payer, tariff }: Bill): OpenBill {
  let prepaid = tariff.packets;
  let caused = 0;
  if (prepaid > 0) payer.charge(prepaid);
  return {
    isOpen: true,
    charge: (packets) => {
      caused += packets;
      const due = packets - prepaid;
      prepaid = Math.max(0, -due);
      if (due > 0) payer.charge(due);
    },
    close() {
      this.isOpen = false;
      tariff.packets = caused;
    },
  };
}

/** Runs a hook, and closes its bill at its end: the timers that it leaves are not charged. */
function billed<Value>(bill: OpenBill, fn: () => Value): Value {
  let isPending = false;
  const close = (): void => bill.close();
  try {
    const result = fn();
    isPending = isPromise(result);
    if (isPromise(result)) result.then(close, close);
    return result;
  } finally {
    if (!isPending) close();
  }
}

/**
 * Returns the message that players get about a failed hook. It leaves out the error, which may contain
 * secrets.
 */
export function failureText(hook: string): string {
  return `the room's code failed in ${hook}; the server's log has the error`;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
