import type { Clock } from "@paceline/transport";

/** Levels, gravest first. `info` is for what happens to the relay as a whole, `debug` for rooms and sessions. */
export const logLevels = ["error", "warn", "info", "debug", "trace"] as const;
/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** Facts that belong to a line. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** Where the relay's log goes; injected. Tokens, tickets and game data never appear in it. */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

/** Keeps nothing. */
export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
};

/** Lets a level pass at most once per second, so that no flood of packets becomes a flood of lines. */
export class LogThrottle {
  readonly #clock: Clock;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #withheld = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Writes, or counts the line among those that the next one mentions as `withheld`. */
  write(write: Log[LogLevel], message: string, fields: LogFields = {}): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs < this.#quietUntilMs) {
      this.#withheld += 1;
      return;
    }
    this.#quietUntilMs = nowMs + 1000;
    write(message, this.#withheld > 0 ? { ...fields, withheld: this.#withheld } : fields);
    this.#withheld = 0;
  }
}
