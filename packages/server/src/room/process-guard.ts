import type { Relay } from "@paceline/relay";
import { blame, traceHooks } from "./hooks.js";

/** Options of {@link guardProcess}. */
export interface ProcessGuardOptions {
  /** http(s) address of the server where sessions go on. Default: clients come back to where they were. */
  readonly moveTo?: string | undefined;
  /** Called last, before the process exits with 1; waited for at most a second. */
  readonly beforeExit?: () => Promise<void>;
}

/** Time for sessions to hear of the end; a failed process must not linger. */
const DRAIN_MS = 1000;
const STOP_TIMEOUT_MS = 3000;
const BEFORE_EXIT_MS = 1000;

/**
 * Watches over what nobody catches in this process. What a room's hook has started (a timer, a promise) is that room's
 * error. Any other rejection is counted, logged and survived. Any other exception is counted and logged, sessions are told
 * to move, and the process exits with 1: nobody knows what it has left half done. The result ends the watch.
 */
export function guardProcess(
  relay: Pick<Relay, "reportFault" | "stop">,
  { moveTo, beforeExit }: ProcessGuardOptions = {},
): () => void {
  const stopTracing = traceHooks();
  let isEnding = false;
  const onRejection = (error: unknown): void => {
    if (!blame("unhandledRejection", error)) relay.reportFault("rejection", error);
  };
  const onException = (error: unknown): void => {
    if (blame("uncaughtException", error)) return;
    relay.reportFault("exception", error);
    if (isEnding) return;
    isEnding = true;
    void endProcess(
      () => relay.stop({ drainMs: DRAIN_MS, ...(moveTo !== undefined && { moveTo }) }),
      beforeExit,
    );
  };
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  return () => {
    stopTracing();
    process.off("unhandledRejection", onRejection);
    process.off("uncaughtException", onException);
  };
}

/** Whether somebody else decides already what becomes of this process: a test runner, an error reporter, the game. */
export function isProcessGuarded(): boolean {
  return process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection") > 0;
}

async function endProcess(stop: () => Promise<void>, beforeExit?: () => Promise<void>): Promise<void> {
  await within(STOP_TIMEOUT_MS, stop);
  if (beforeExit) await within(BEFORE_EXIT_MS, beforeExit);
  process.exit(1);
}

/** Resolves when `fn` has ended, however it does, or when the time is over. */
async function within(timeoutMs: number, fn: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const ended = Promise.resolve()
    .then(fn)
    .catch(() => undefined);
  await Promise.race([ended, late]);
  clearTimeout(timer);
}
