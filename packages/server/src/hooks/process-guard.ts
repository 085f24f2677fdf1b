import { setTimeout as sleep } from "node:timers/promises";
import type { Relay } from "@paceline/relay";
import { blame, traceHooks } from "./hook-trace.js";

/** Options of `Server.guardProcess`. */
export interface ProcessGuardOptions {
  /**
   * http(s) address of the server to which sessions move. Default: clients reconnect to their old address.
   */
  readonly moveTo?: string | undefined;
  /** Called last, before the process exits with code 1. The exit waits for it for at most a second. */
  readonly beforeExit?: () => Promise<void>;
}

/** Time in which sessions receive the move. It is short because a failed process must end soon. */
const DRAIN_MS = 1000;
const STOP_TIMEOUT_MS = 3000;
const BEFORE_EXIT_TIMEOUT_MS = 1000;

/**
 * Handles uncaught errors of this process. An error in a timer or promise that a room's hook started is that
 * room's error. Any other rejection is counted and logged. Any other exception is counted and logged; then
 * the relay stops with a short drain, and the process exits with code 1, because its state may be
 * inconsistent. Returns a function that ends this.
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

/**
 * Returns true if other code, such as a test runner or an error reporter, already handles uncaught errors of
 * this process.
 */
export function isProcessGuarded(): boolean {
  return process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection") > 0;
}

async function endProcess(stop: () => Promise<void>, beforeExit?: () => Promise<void>): Promise<void> {
  await within(STOP_TIMEOUT_MS, stop);
  if (beforeExit) await within(BEFORE_EXIT_TIMEOUT_MS, beforeExit);
  process.exit(1);
}

/** Resolves when `fn` ends or fails, or after the timeout. */
async function within(timeoutMs: number, fn: () => Promise<void>): Promise<void> {
  const ended = Promise.resolve().then(fn);
  await Promise.race([ended.catch(() => undefined), sleep(timeoutMs)]);
}
