import { ConfigError } from "@paceline/relay";
import { NetError } from "@paceline/server";
import { NO_GAME, gameOf } from "./game-rooms.js";
import { LogSink, standardError } from "./log-sink.js";
import { freePortFrom, ownerOf } from "./port.js";
import { pinoLog } from "./pino-log.js";
import { RelayHost } from "./relay-host.js";
import { serverOptions, usageOf, type ServerOptions } from "./server-options.js";
import { UsageError } from "./config-file.js";

interface Configured {
  readonly options: ServerOptions;
  readonly host: RelayHost;
  readonly sink: LogSink;
}

/** Longest wait for the last log lines, in case their reader has stopped reading. */
const FLUSH_MS = 500;

async function configured(args: readonly string[], command: string): Promise<Configured | undefined> {
  try {
    const options = serverOptions(args, process.env);
    if (options === undefined) {
      console.log(usageOf(command));
      return undefined;
    }
    const sink = new LogSink(standardError());
    const game = options.gameFile === undefined ? NO_GAME : await gameOf(options.gameFile);
    return { options, host: new RelayHost(options, pinoLog(options.logLevel, sink), game), sink };
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ConfigError)) throw error;
    console.error(`${error.message}\n${command} --help lists all options.`);
    process.exitCode = 2;
    return undefined;
  }
}

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken",
  EACCES: "not allowed; ports below 1024 need privileges",
  EADDRNOTAVAIL: "this machine does not have that address",
  ENOTFOUND: "there is no such host",
};

/** Returns a message about a failed start for the person at the terminal. */
export async function listenFaultOf(error: unknown, options: ServerOptions): Promise<string> {
  const known = error as { readonly code?: string; readonly address?: string; readonly port?: number };
  const { code = String(error), address = options.host, port = options.port } = known;
  const fault = `cannot listen on ${address}, port ${port}: ${listenFaults[code] ?? code}`;
  if (code !== "EADDRINUSE") return fault;
  const owner = ownerOf(port);
  const by = owner === undefined ? "" : ` by ${owner}`;
  return `${fault}${by}; ${await otherPort(port, address, options)}`;
}

/** Returns the flag with another port, a free one if there is one near. */
async function otherPort(port: number, host: string, { port: game, admin }: ServerOptions): Promise<string> {
  const [flag, own] =
    port === admin?.port ? (["--admin-port", game] as const) : (["--port", admin?.port] as const);
  let free = await freePortFrom(port + 1, host);
  // The server's own other port is free only until it starts.
  if (free !== undefined && free === own) free = await freePortFrom(free + 1, host);
  return free === undefined ? `choose another with ${flag}` : `${flag} ${free} is free`;
}

/** Ends the process, since the threads of the WebRTC library would keep it alive for a while. */
async function end(stopped: Promise<void>, sink: LogSink, code = 0): Promise<void> {
  await stopped;
  await sink.flush(FLUSH_MS);
  process.exit(code);
}

/**
 * Runs the server as a process. Exits with 0 after a stop, 1 if it cannot listen or after an uncaught error,
 * 2 if the command line is wrong or another process has the data directory open. `command`: its name in the usage.
 */
export async function serve(args: readonly string[], command: string): Promise<void> {
  const ready = await configured(args, command);
  if (ready === undefined) return;
  const { options, host, sink } = ready;
  // A closed reader of the standard output must not end the process.
  process.stdout.on("error", () => undefined);
  host.guardProcess({ beforeExit: () => sink.flush(FLUSH_MS) });
  // A second signal stops without waiting for players.
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
    const isLocked = error instanceof NetError && error.code === "store/locked";
    console.error(isLocked ? error.message : await listenFaultOf(error, options));
    await end(host.stop(), sink, isLocked ? 2 : 1);
  }
}
