import type { Clock } from "@paceline/transport";
import { LogThrottle, type Log, type LogFields } from "./log.js";
import type { FaultPlace, RelayCounters } from "./relay-counters.js";

/**
 * Errors that nothing was expected to throw: mistakes of ours, or of what the relay was given. They end the one thing in
 * which they happened, are counted, and logged with their stack, at most once a second for each place.
 */
export class Faults {
  readonly #log: Log;
  readonly #counters: RelayCounters;
  readonly #clock: Clock;
  readonly #lines = new Map<FaultPlace, LogThrottle>();

  constructor(log: Log, counters: RelayCounters, clock: Clock) {
    this.#log = log;
    this.#counters = counters;
    this.#clock = clock;
  }

  report(place: FaultPlace, error: unknown, fields: LogFields = {}): void {
    this.#counters.faulted(place);
    let lines = this.#lines.get(place);
    if (!lines) this.#lines.set(place, (lines = new LogThrottle(this.#clock)));
    lines.write(this.#log.error, "contained an error", { place, ...fields, error: stackOf(error) });
  }

  /** Runs `fn`; false where it throws. */
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

/** Text for the log of any thrown value. */
export function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return "something that cannot be printed";
  }
}
