/**
 * The relay as a process: exits with 0 when it was stopped, 1 when it cannot listen or after an error that nobody catches, 2
 * when it was called wrongly.
 */
import { ConfigError } from "@paceline/relay";
import { NO_GAME, gameOf } from "./game-rooms.js";
import { LogSink, standardError } from "./log-sink.js";
import { pinoLog } from "./pino-log.js";
import { RelayHost } from "./relay-host.js";
import { USAGE, serverOptions, type ServerOptions } from "./server-options.js";
import { UsageError } from "./usage-error.js";

interface Configured {
  readonly options: ServerOptions;
  readonly host: RelayHost;
  readonly sink: LogSink;
}

/** The last lines of a log whose reader stands still are not waited for any longer. */
const FLUSH_MS = 500;

async function configured(): Promise<Configured | undefined> {
  try {
    const options = serverOptions(process.argv.slice(2), process.env);
    if (options === undefined) {
      console.log(USAGE);
      return undefined;
    }
    const sink = new LogSink(standardError());
    const game = options.gameFile === undefined ? NO_GAME : await gameOf(options.gameFile);
    return { options, host: new RelayHost(options, pinoLog(options.logLevel, sink), game), sink };
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ConfigError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
}

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken; choose another with --port or --admin-port",
  EACCES: "not allowed; ports below 1024 need privileges",
  EADDRNOTAVAIL: "this machine does not have that address",
  ENOTFOUND: "there is no such host",
};

function whyNotListening(error: unknown, options: ServerOptions): string {
  const known = error as { readonly code?: string; readonly address?: string; readonly port?: number };
  const { code = String(error), address = options.host, port = options.port } = known;
  return `cannot listen on ${address}, port ${port}: ${listenFaults[code] ?? code}`;
}

/** The threads of the WebRTC library would keep the process for a while. */
async function end(stopped: Promise<void>, sink: LogSink, code = 0): Promise<void> {
  await stopped;
  await sink.flush(FLUSH_MS);
  process.exit(code);
}

async function run(): Promise<void> {
  const ready = await configured();
  if (ready === undefined) return;
  const { options, host, sink } = ready;
  // A reader that is gone: nobody is left to tell, and players have nothing to do with it.
  process.stdout.on("error", () => undefined);
  host.guardProcess({ beforeExit: () => sink.flush(FLUSH_MS) });
  // A second signal does not wait for anybody.
  process.once("SIGTERM", () => {
    process.once("SIGTERM", () => void end(host.stop(), sink));
    void end(host.drain(), sink);
  });
  process.once("SIGINT", () => void end(host.stop(), sink));
  try {
    const { game, admin, rooms } = await host.listen();
    if (admin !== undefined) console.log(`admin page and metrics on ${admin}`);
    console.log(`listening on ${game} with rooms ${rooms.join(", ")}`);
  } catch (error) {
    console.error(whyNotListening(error, options));
    await end(host.stop(), sink, 1);
  }
}

await run();
