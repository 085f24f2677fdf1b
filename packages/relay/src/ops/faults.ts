import type { Clock } from "@paceline/transport";
import { LogThrottle, type Log, type LogFields } from "./log.js";
import type { FaultPlace, RelayCounters } from "./relay-counters.js";

/**
 * Contains unexpected errors, from the relay's own bugs or from the operator's code. An error ends only the
 * thing in which it happened. It is counted, and logged with its stack at most once a second for each place.
 */
export class Faults {
  readonly #log: Log;
  readonly #counters: RelayCounters;
  readonly #lines: LogThrottle;

  constructor(log: Log, counters: RelayCounters, clock: Clock) {
    this.#log = log;
    this.#counters = counters;
    this.#lines = new LogThrottle(clock);
  }

  report(place: FaultPlace, error: unknown, fields: LogFields = {}): void {
    this.#counters.count("faults", place);
    const facts = { place, ...fields, error: stackOf(error) };
    this.#lines.write(this.#log.error, "contained an error", facts, place);
  }

  /** Runs `fn`. Reports an error that it throws and returns false. */
  contain(place: FaultPlace, fn: () => void, fields?: LogFields): boolean {
    try {
      fn();
      return true;
    } catch (error) {
      this.report(place, error, fields);
      return false;
    }
  }
}

/** Returns the stack or the text of any thrown value, for the log. */
export function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return "something that cannot be printed";
  }
}
