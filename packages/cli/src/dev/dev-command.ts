import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import process from "node:process";
import { ConfigError } from "@paceline/relay";
import { freePortFrom, ownerOf } from "../server/port.js";
import { serverOptions, usageOf, type ServerOptions } from "../server/server-options.js";
import { listenFaultOf } from "../server/serve.js";
import { UsageError } from "../server/config-file.js";
import { DevServer } from "./dev-server.js";

const USAGE = usageOf("paceline dev [game.ts]");

/** Runs `paceline dev` until it is stopped. */
export async function dev(args: readonly string[]): Promise<void> {
  const options = await readOptions(args);
  if (options === undefined) return;
  let server: DevServer | undefined;
  const stop = (): void => void server?.stop().then(() => process.exit());
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    server = new DevServer(options);
    const address = await server.listen();
    console.log(`listening on ${address}`);
    for (const other of otherAddresses(options.host, address))
      console.log(`others on your network: ${other}`);
  } catch (error) {
    const isWrongOption = error instanceof ConfigError;
    console.error(isWrongOption ? error.message : await listenFaultOf(error, options));
    await server?.stop();
    process.exit(isWrongOption ? 2 : 1);
  }
}

async function readOptions(args: readonly string[]): Promise<ServerOptions | undefined> {
  try {
    const [first = "", ...rest] = args;
    const isFile = first !== "" && !first.startsWith("-");
    const flags = isFile ? ["--game", first, ...rest] : args;
    const options = serverOptions(flags, process.env);
    if (options === undefined) {
      console.log(USAGE);
      return undefined;
    }
    if (options.gameFile !== undefined && !existsSync(options.gameFile))
      throw new UsageError(`game: there is no file "${options.gameFile}"`);
    if (options.isPortChosen) return options;
    const port = await freePortFrom(options.port, options.host);
    if (port === undefined || port === options.port) return options;
    const owner = ownerOf(options.port) ?? "another process";
    console.log(`port ${options.port} is taken by ${owner}; this is ${port}`);
    console.log(`a page that names port ${options.port} finds the other server`);
    // The default WebRTC port follows this port.
    return serverOptions([...flags, "--port", String(port)], process.env);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ConfigError)) throw error;
    console.error(`${error.message}\npaceline dev --help lists all options.`);
    process.exitCode = 2;
    return undefined;
  }
}

function otherAddresses(host: string, address: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  const { port } = new URL(address);
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address: own }) => `http://${own}:${port}`);
}
