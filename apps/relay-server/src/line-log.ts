import { logLevels, silentLog, type Log, type LogFields, type LogLevel } from "@paceline/relay";

/** A log of one line per message, for whatever collects the standard error. Levels below `level` are left out. */
export function lineLog(level: LogLevel, write: (line: string) => void): Log {
  const log: Record<LogLevel, Log[LogLevel]> = { ...silentLog };
  for (const each of logLevels.slice(0, logLevels.indexOf(level) + 1)) {
    log[each] = (message, fields) =>
      write(`${new Date().toISOString()} ${each} ${message}${printed(fields)}\n`);
  }
  return log;
}

/** Text from the network is quoted: it cannot begin a line of its own. */
function printed(fields: LogFields = {}): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join("");
}
