import type { Clock } from "@paceline/transport";

/** Levels, the gravest first. `info` is for events of the whole relay, `debug` for rooms and sessions. */
export const logLevels = ["error", "warn", "info", "debug", "trace"] as const;
/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** Facts of a log line, by name. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** Sink of the relay's log. Tokens, tickets and game data never appear in it. */
export interface Log extends Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>> {
  /** Number of lines lost since the start, if the log counts them. `GET /health` shows it. */
  readonly dropped?: number;
}

/** Returns a log with one function for each level. */
function logOf(write: (level: LogLevel) => Log[LogLevel]): Log {
  return Object.fromEntries(logLevels.map((level) => [level, write(level)])) as unknown as Log;
}

/** A log that writes nothing. */
export const silentLog: Log = logOf(() => () => undefined);

/**
 * The default log. Writes errors with their stack, warnings, and events of the whole server to the console;
 * nothing about single rooms and sessions.
 */
/* oxlint-disable no-console -- a program without a log shall see what happens all the same */
export const consoleLog: Log = {
  ...silentLog,
  error: (message, fields) => console.error(lineOf(message, fields)),
  warn: (message, fields) => console.warn(lineOf(message, fields)),
  info: (message, fields) => console.info(lineOf(message, fields)),
};
/* oxlint-enable no-console */

function lineOf(message: string, { error, ...fields }: LogFields = {}): string {
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  const line = ["paceline:", message, ...facts].join(" ");
  return error === undefined ? line : `${line}\n${String(error)}`;
}

/** Wraps a log so that its errors (a full disk, for example) do not reach the caller. */
export function harmlessLog(log: Log): Log {
  const harmless = logOf((level) => (message, fields) => {
    try {
      log[level](message, fields);
    } catch {
      // An error of the log itself has nowhere to go.
    }
  });
  return Object.defineProperty(harmless, "dropped", { get: () => log.dropped ?? 0 });
}

/** Lets one line of each key pass per second, so that a flood of packets causes no flood of lines. */
export class LogThrottle {
  readonly #clock: Clock;
  readonly #lines = new Map<string, { readonly quietUntilMs: number; withheld: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Writes the line, or counts it. The next line of its key carries the count as `withheld`. */
  write(write: Log[LogLevel], message: string, fields: LogFields = {}, key = ""): void {
    const nowMs = this.#clock.nowMs();
    const last = this.#lines.get(key);
    if (last && nowMs < last.quietUntilMs) {
      last.withheld += 1;
      return;
    }
    this.#lines.set(key, { quietUntilMs: nowMs + 1000, withheld: 0 });
    const withheld = last?.withheld ?? 0;
    write(message, withheld > 0 ? { ...fields, withheld } : fields);
  }
}
