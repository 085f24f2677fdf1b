import os from "node:os";
import type { Bound } from "./bound.js";

export interface Result {
  readonly rows: readonly object[];
  readonly bounds: readonly Bound[];
  /** True if every row was measured. */
  readonly isComplete: boolean;
  readonly isQuick: boolean;
  readonly asJson: boolean;
  readonly versions?: Readonly<Record<string, string>>;
}

/**
 * Prints the result as the last line if `asJson`, and sets the exit code: 0 if all was measured and every
 * bound holds.
 */
export function printResult(
  name: string,
  { rows, bounds, isComplete, isQuick, asJson, versions }: Result,
): void {
  const machine = { cores: os.cpus().length, load: Number(os.loadavg()[0]!.toFixed(2)) };
  const head = {
    name,
    date: new Date().toISOString(),
    node: process.version,
    versions: versions ?? {},
    machine,
  };
  const body = { ...head, ...(isQuick && { quick: true }), bounds, rows };
  if (asJson) process.stdout.write(`${JSON.stringify(body)}\n`);
  process.exitCode = isComplete && bounds.every(({ holds }) => holds) ? 0 : 1;
}
