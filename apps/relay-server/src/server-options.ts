import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { logLevels, type IceServer, type LogLevel, type RelayOptions } from "@paceline/relay";
import { UsageError } from "./usage-error.js";

/** What the command line and the environment say, checked. */
export interface ServerOptions {
  readonly port: number;
  readonly host: string;
  readonly staticFolder: string | undefined;
  readonly logLevel: LogLevel;
  readonly isProxyTrusted: boolean;
  readonly relay: Pick<RelayOptions, "rooms" | "secret" | "allowedOrigins" | "iceServers">;
}

/** Printed by `--help`. */
export const USAGE = `relay-server [options]           each also as environment variable

  --port 0..65535         PACELINE_PORT          where to listen; 0: any free port (8787)
  --host ADDRESS          PACELINE_HOST          address to listen on (127.0.0.1)
  --static FOLDER         PACELINE_STATIC        files to serve beside the relay
  --allow-origin ORIGIN   PACELINE_ALLOW_ORIGIN  pages that may connect: https://play.example.com, or "*"
                                                 for all; repeat, or separate by commas (own host only)
  --rooms NAME[:PEERS],…  PACELINE_ROOMS         kinds of rooms, and how many players each takes (race:16)
  --secret TEXT           PACELINE_SECRET        signs tickets, at least 16 bytes (random)
  --ice URL[ USER WORD]   PACELINE_ICE           STUN or TURN server; repeat, or separate by commas
  --trust-proxy           PACELINE_TRUST_PROXY=1 take addresses from the last entry of X-Forwarded-For
  --log-level LEVEL       PACELINE_LOG_LEVEL     ${logLevels.join(", ")} (info)
  --help                                         print this
`;

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flags = {
  port: text,
  host: text,
  static: text,
  "allow-origin": list,
  rooms: text,
  secret: text,
  ice: list,
  "trust-proxy": { type: "boolean" },
  "log-level": text,
  help: { type: "boolean" },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined where help was asked for. Throws {@link UsageError} naming the flag, its value and what is allowed. */
export function serverOptions(args: readonly string[], environment: Environment): ServerOptions | undefined {
  const given = parsed(args);
  if (given.help) return undefined;
  const textOf = (name: "port" | "host" | "static" | "rooms" | "secret" | "log-level"): string | undefined =>
    given[name] ?? environment[variableOf(name)];
  const listOf = (name: "allow-origin" | "ice"): readonly string[] =>
    (given[name] ?? [environment[variableOf(name)] ?? ""])
      .flatMap((entry) => entry.split(","))
      .filter(Boolean);
  const secret = textOf("secret");
  const origins = listOf("allow-origin");
  const proxy = environment[variableOf("trust-proxy")] ?? "0";
  return {
    port: portOf(textOf("port") ?? "8787"),
    host: textOf("host") ?? "127.0.0.1",
    staticFolder: folderOf(textOf("static")),
    logLevel: levelOf(textOf("log-level") ?? "info"),
    isProxyTrusted: given["trust-proxy"] ?? oneOf(variableOf("trust-proxy"), proxy, ["0", "1"]) === "1",
    relay: {
      rooms: roomsOf(textOf("rooms") ?? "race:16"),
      allowedOrigins: origins.includes("*") ? "*" : origins,
      iceServers: listOf("ice").map(iceServerOf),
      ...(secret !== undefined && { secret }),
    },
  };
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof flags }>>["values"] {
  try {
    return parseArgs({ args: [...args], options: flags }).values;
  } catch (error) {
    // The first sentence names the flag; what follows is about positional arguments, of which there are none.
    const [sentence = ""] = String(error instanceof Error ? error.message : error).split(". ");
    throw new UsageError(sentence, { cause: error });
  }
}

function variableOf(name: string): string {
  return `PACELINE_${name.toUpperCase().replace("-", "_")}`;
}

function portOf(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new UsageError(`port: expected a whole number from 0 to 65535, got "${value}"`);
}

function folderOf(path: string | undefined): string | undefined {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`static: expected a folder that exists, got "${path}"`);
}

function levelOf(value: string): LogLevel {
  return oneOf("log-level", value, logLevels);
}

function oneOf<Choice extends string>(field: string, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new UsageError(`${field}: expected one of ${choices.join(", ")}, got "${value}"`);
}

/** `race:16,lobby`: names and sizes; the relay checks both. */
function roomsOf(value: string): RelayOptions["rooms"] {
  const kinds = value.split(",").map((entry) => {
    const [name = "", peers] = entry.trim().split(":", 2);
    return [name, peers === undefined ? {} : { maxPeers: Number(peers) }] as const;
  });
  return Object.fromEntries(kinds);
}

function iceServerOf(entry: string): IceServer {
  const [urls = "", username, credential, ...more] = entry.trim().split(/\s+/);
  if (more.length > 0 || (username !== undefined && credential === undefined)) {
    throw new UsageError('ice: expected "URL" or "URL USER WORD"');
  }
  return username === undefined || credential === undefined ? { urls } : { urls, username, credential };
}
