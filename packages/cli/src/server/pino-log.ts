import { pino, type DestinationStream } from "pino";
import type { Log, LogLevel } from "@paceline/relay";

/** Destination of lines. `dropped` counts the lost ones. */
export interface LogDestination extends DestinationStream {
  readonly dropped?: number;
}

/** Returns a log that writes one JSON object per line. Leaves out levels below `level`. */
export function pinoLog(level: LogLevel, destination: LogDestination): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const line =
    (name: LogLevel): Log[LogLevel] =>
    (message, fields) =>
      logger[name]({ ...fields }, message);
  return {
    error: line("error"),
    warn: line("warn"),
    info: line("info"),
    debug: line("debug"),
    trace: line("trace"),
    get dropped() {
      return destination.dropped ?? 0;
    },
  };
}
