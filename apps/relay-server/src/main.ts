/** The relay as a process: exits with 0 when it was stopped, 1 when it cannot listen, 2 when it was called wrongly. */
import { ConfigError } from "@paceline/relay";
import { RelayHost } from "./relay-host.js";
import { USAGE, serverOptions, type ServerOptions } from "./server-options.js";
import { UsageError } from "./usage-error.js";

function configured(): { options: ServerOptions; host: RelayHost } | undefined {
  try {
    const options = serverOptions(process.argv.slice(2), process.env);
    if (options === undefined) {
      console.log(USAGE);
      return undefined;
    }
    return { options, host: new RelayHost(options, (line) => process.stderr.write(line)) };
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ConfigError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
}

function whyNotListening(error: unknown, { port, host }: ServerOptions): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "the port is taken; choose another with --port",
    EACCES: "not allowed; ports below 1024 need privileges",
    EADDRNOTAVAIL: "this machine does not have that address",
    ENOTFOUND: "there is no such host",
  };
  return `cannot listen on ${host}, port ${port}: ${reasons[code] ?? code}`;
}

async function run(): Promise<void> {
  const ready = configured();
  if (ready === undefined) return;
  const { options, host } = ready;
  // Not left to itself: the threads of the WebRTC library would keep the process for a while.
  const stop = (): void => void host.stop().then(() => process.exit());
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  try {
    console.log(`listening on ${await host.listen(options.port, options.host)}`);
  } catch (error) {
    console.error(whyNotListening(error, options));
    await host.stop();
    process.exit(1);
  }
}

await run();
