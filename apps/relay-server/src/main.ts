/** The relay as a process: exits with 0 when it was stopped, 1 when it cannot listen, 2 when it was called wrongly. */
import { ConfigError } from "@paceline/relay";
import { pino } from "pino";
import { NO_GAME, gameOf } from "./game-rooms.js";
import { pinoLog } from "./pino-log.js";
import { RelayHost } from "./relay-host.js";
import { USAGE, serverOptions, type ServerOptions } from "./server-options.js";
import { UsageError } from "./usage-error.js";

async function configured(): Promise<{ options: ServerOptions; host: RelayHost } | undefined> {
  try {
    const options = serverOptions(process.argv.slice(2), process.env);
    if (options === undefined) {
      console.log(USAGE);
      return undefined;
    }
    const standardError = pino.destination({ dest: process.stderr.fd, sync: true });
    const game = options.gameFile === undefined ? NO_GAME : await gameOf(options.gameFile);
    return { options, host: new RelayHost(options, pinoLog(options.logLevel, standardError), game) };
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
async function end(host: RelayHost): Promise<void> {
  await host.stop();
  process.exit();
}

async function run(): Promise<void> {
  const ready = await configured();
  if (ready === undefined) return;
  const { options, host } = ready;
  // A second signal does not wait for anybody.
  process.once("SIGTERM", () => {
    process.once("SIGTERM", () => void end(host));
    void host.drain().then(() => process.exit());
  });
  process.once("SIGINT", () => void end(host));
  try {
    const { game, admin } = await host.listen();
    if (admin !== undefined) console.log(`admin page and metrics on ${admin}`);
    console.log(`listening on ${game}`);
  } catch (error) {
    console.error(whyNotListening(error, options));
    await host.stop();
    process.exit(1);
  }
}

await run();
